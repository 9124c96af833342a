"""What the Helm chart makes, as ``helm_render`` kept it: rights, probes, addresses, commands of the containers."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from lakeui.runtime.environment import variables_read
from lakeui.runtime.variables import FIELDS
from tests.runtime.helm_render import CHART, KEPT, chart_digest, rendered
from tests.runtime.test_docker import SERVICES

RENDERED = rendered()
PARTS = ("web", "worker", "spark", "spark-queries")


def named(values: str, kind: str, name: str) -> dict[str, Any]:
    (found,) = (
        manifest
        for manifest in RENDERED[values]
        if (manifest["kind"], manifest["metadata"]["name"]) == (kind, f"demo-{name}")
    )
    return found


def pod(part: str, values: str = "least") -> dict[str, Any]:
    spec: dict[str, Any] = named(values, "Deployment", part)["spec"]["template"]["spec"]
    return spec


def environment(part: str, values: str = "least") -> dict[str, str]:
    (container,) = pod(part, values)["containers"]
    return {entry["name"]: entry["value"] for entry in container["env"]}


def test_the_kept_manifests_are_of_this_chart() -> None:
    """Else: python -m tests.runtime.helm_render."""
    assert yaml.safe_load(KEPT.read_text())["digest"] == chart_digest()


@pytest.mark.parametrize("part", PARTS)
def test_no_pod_has_rights_or_writes_its_root(part: str) -> None:
    spec = pod(part)
    assert spec["automountServiceAccountToken"] is False
    assert (spec["securityContext"]["runAsNonRoot"], spec["securityContext"]["runAsUser"]) == (True, 10001)
    for container in [*spec["containers"], *spec.get("initContainers", ())]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
        assert mounts == {"warehouse": "/srv/warehouse", "home": "/srv/home", "tmp": "/tmp"}
        assert {volume["name"] for volume in spec["volumes"]} == set(mounts)


@pytest.mark.parametrize("part", ["spark", "spark-queries"])
def test_spark_starts_as_in_the_containers(part: str) -> None:
    (container,) = pod(part)["containers"]
    stood_for = [re.sub(r"\$\{\w+:-(\w+)\}", r"\1", word) for word in SERVICES[part]["command"]]
    assert container["args"] == stood_for
    assert environment(part) == SERVICES[part]["environment"]


def test_web_and_worker_start_as_in_the_containers() -> None:
    (worker,), (web,) = pod("worker")["containers"], pod("web")["containers"]
    assert worker["args"] == SERVICES["worker"]["command"]
    assert web["args"][:3] == ["gunicorn", "--config=python:lakeui.runtime.web_options", "--bind=0.0.0.0:8000"]
    for part in ("web", "worker"):
        (prepare,) = pod(part)["initContainers"]
        assert prepare["args"] == SERVICES["prepare"]["command"]
        assert {"name": "LAKEUI_STATIC_ROOT", "value": "/srv/home/static"} in prepare["env"]


@pytest.mark.parametrize("part", ["web", "worker"])
def test_whoever_runs_django_gets_every_address(part: str) -> None:
    (container,) = pod(part)["containers"]
    assert container["envFrom"] == [{"secretRef": {"name": "lakeui"}}]
    found = environment(part)
    assert found["SPARK_REMOTE"] == "sc://demo-spark:15002"
    assert found["LAKEUI_SPARK_QUERY_REMOTE"] == "sc://demo-spark-queries:15002"
    for name in ("spark", "spark-queries"):
        assert named("least", "Service", name)["spec"]["ports"][0]["port"] == 15002


def test_settings_are_those_lakeui_has_and_can_read() -> None:
    found = environment("web", "all")
    assert found.keys() <= FIELDS.keys() | {"OTEL_EXPORTER_OTLP_ENDPOINT"}
    given = {"LAKEUI_HTTPS": "1", "LAKEUI_RETENTION_DAYS": "30", "LAKEUI_ALLOWED_HOSTS": "lake.example.com"}
    assert given.items() <= found.items()
    read = variables_read(given)
    assert (read.https, read.retention_days, read.allowed_hosts) == (True, 30, ("lake.example.com",))


@pytest.mark.parametrize("part", PARTS)
def test_whoever_serves_is_probed_and_found_by_service(part: str) -> None:
    (container,) = pod(part)["containers"]
    assert "livenessProbe" in container
    labels = named("least", "Deployment", part)["spec"]["template"]["metadata"]["labels"]
    assert named("least", "Deployment", part)["spec"]["selector"]["matchLabels"].items() <= labels.items()
    if part != "worker":
        assert {"startupProbe", "readinessProbe"} <= container.keys()
        assert named("least", "Service", part)["spec"]["selector"].items() <= labels.items()


def test_old_version_serves_until_the_new_one_answers() -> None:
    strategy = named("least", "Deployment", "web")["spec"]["strategy"]
    assert strategy["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
    assert pod("web")["containers"][0]["readinessProbe"]["httpGet"]["path"] == "/livez"


def test_spark_answers_only_web_and_workers() -> None:
    for part in ("spark", "spark-queries"):
        spec = named("least", "NetworkPolicy", part)["spec"]
        (allowed,) = spec["ingress"]
        who = [entry["podSelector"]["matchLabels"]["app.kubernetes.io/component"] for entry in allowed["from"]]
        assert (who, spec["egress"]) == (["web", "worker"], [])
    assert not [manifest for manifest in RENDERED["all"] if manifest["kind"] == "NetworkPolicy"]


def test_warehouse_is_a_shared_volume_that_outlives_release() -> None:
    claim = named("least", "PersistentVolumeClaim", "warehouse")
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    assert claim["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    for values, name in (("least", "demo-warehouse"), ("all", "lake")):
        claims = [volume.get("persistentVolumeClaim") for volume in pod("worker", values)["volumes"]]
        assert {"claimName": name} in claims


def test_no_secret_stands_in_the_chart() -> None:
    assert not [manifest for manifest in RENDERED["all"] if manifest["kind"] == "Secret"]
    assert "password" not in (CHART / "values.yaml").read_text().lower().replace("lakeui_admin_password", "")
