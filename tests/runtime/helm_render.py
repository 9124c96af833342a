"""Renders the Helm chart by Helm's own SDK, checks each manifest by Kubernetes' schemas, and keeps what came of it.

    pip install helm-python-sdk==0.2.2 kubernetes-validate==1.37.0
    python -m tests.runtime.helm_render

The two take 350 MB, so they are no part of ``make test``: that holds the kept manifests, and that they are of the
chart as it is.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "docker" / "helm" / "lakeui"
KEPT = Path(__file__).with_name("helm_rendered.yaml")
KUBERNETES = ("1.27", "1.30", "1.37")
IMAGE = {"repository": "registry.example.com/lakeui"}
VALUES: dict[str, dict[str, Any]] = {
    "least": {"image": IMAGE, "secretName": "lakeui"},
    "all": {
        "image": IMAGE | {"digest": "sha256:" + "0" * 64, "pullSecrets": [{"name": "registry"}]},
        "secretName": "lakeui",
        "settings": {"LAKEUI_HTTPS": True, "LAKEUI_RETENTION_DAYS": 30, "LAKEUI_ALLOWED_HOSTS": "lake.example.com"},
        "warehouse": {"existingClaim": "lake"},
        "ingress": {"enabled": True, "className": "nginx", "host": "lake.example.com", "tlsSecretName": "lake-tls"},
        "networkPolicy": False,
        "nodeSelector": {"disk": "fast"},
        "tolerations": [{"key": "lake", "operator": "Exists"}],
    },
}
REFUSED: dict[str, dict[str, Any]] = {
    "no image": {"secretName": "lakeui"},
    "no secret": {"image": IMAGE},
    "an unknown value": {"image": IMAGE, "secretName": "lakeui", "wroker": {}},
    "a setting that is none": {"image": IMAGE, "secretName": "lakeui", "settings": {"HTTPS": True}},
    "an ingress without a host": {"image": IMAGE, "secretName": "lakeui", "ingress": {"enabled": True}},
}


def chart_digest() -> str:
    """Of all files of the chart, and of what it is rendered with."""
    found = hashlib.sha256(repr(VALUES).encode())
    for path in sorted(CHART.rglob("*")):
        if path.is_file():
            found.update(f"{path.relative_to(CHART)}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()


def rendered() -> dict[str, list[dict[str, Any]]]:
    """By name of its values, the manifests that were kept."""
    kept = yaml.safe_load(KEPT.read_text())
    return {name: kept[name] for name in VALUES}


def main() -> int:
    # Neither is installed for the checks: see above.
    import helm_python as helm  # type: ignore[import-not-found]
    import kubernetes_validate  # type: ignore[import-not-found]

    kept: dict[str, Any] = {"digest": chart_digest(), "helm": helm.helm_sdk_version()}
    with helm.Chart.load(str(CHART)) as chart:
        for name, values in VALUES.items():
            chart.validate_schema(chart.merge_values(values))
            texts = chart.render(values, name="demo", namespace="lake")
            manifests = [
                manifest
                for path, text in sorted(texts.items())
                if path.endswith(".yaml")
                for manifest in yaml.safe_load_all(text)
                if manifest
            ]
            for manifest in manifests:
                for version in KUBERNETES:
                    kubernetes_validate.validate(manifest, version, strict=True)
            kept[name] = manifests
        for name, values in REFUSED.items():
            try:
                chart.validate_schema(chart.merge_values(values))
            except helm.HelmError:
                continue
            sys.exit(f"values.schema.json lets {name} through")
    KEPT.write_text(yaml.safe_dump(kept, sort_keys=False, width=120))
    found = helm.lint(str(CHART), VALUES["least"], strict=True)
    if found["errors"] or any(entry["severity"] > 1 for entry in found["messages"]):
        sys.exit(f"helm lint: {found}")
    sys.stdout.write(f"{sum(len(kept[name]) for name in VALUES)} manifests are in order, and kept in {KEPT.name}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
