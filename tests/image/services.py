"""The services of docker/compose.yaml as containers of podman, in the order in which they depend on each other."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.image.engine import Failed, ran, removed, tried

NAME = "lakeui-image-test"
IMAGE = f"localhost/{NAME}"
LONGEST_WAIT = 600


def interpolated(text: str, values: Mapping[str, str]) -> str:
    """The text of a compose file with its ${NAME:-default} and ${NAME:?word}."""

    def value(found: re.Match[str]) -> str:
        name, kind, word = found.groups()
        if not values.get(name) and kind == "?":
            raise Failed(f"{name} is not set: {word}")
        return values.get(name) or word

    return re.sub(r"\$\{(\w+):([-?])([^}]*)\}", value, text)


def services_read(path: Path, values: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The services, each behind those that it waits for."""
    found: dict[str, dict[str, Any]] = yaml.safe_load(interpolated(path.read_text(), values))["services"]
    in_order: dict[str, dict[str, Any]] = {}
    while len(in_order) < len(found):
        ready = {name for name, service in found.items() if set(service.get("depends_on", ())) <= in_order.keys()}
        in_order |= {name: found[name] for name in sorted(ready - in_order.keys())}
    return in_order


def run_arguments(name: str, service: Mapping[str, Any], image: str) -> list[str]:
    """The arguments of ``podman run`` for the service. All share one network, as podman 4 knows names only there."""
    arguments = ["--name", f"{NAME}-{name}", "--hostname", name, "--network", NAME, "--network-alias", name]
    arguments += ["--read-only", "--read-only-tmpfs=false"] if service["read_only"] else []
    for option, values in (("--cap-drop", service["cap_drop"]), ("--security-opt", service["security_opt"])):
        arguments += [word for value in values for word in (option, value)]
    arguments += [word for mount in service.get("tmpfs", ()) for word in ("--tmpfs", tmpfs_of(mount))]
    for name_, value in service.get("environment", {}).items():
        arguments += ["--env", f"{name_}={'' if value is None else value}"]
    for volume in service.get("volumes", ()):
        arguments += ["--volume", volume if volume[0] in "./" else f"{NAME}-{volume}"]
    arguments += ["--user", service["user"]] if "user" in service else []
    arguments += ["--workdir", service["working_dir"]] if "working_dir" in service else []
    arguments += [word for port in service.get("ports", ()) for word in ("--publish", port)]
    return [*arguments, image, *service.get("command", ())]


def tmpfs_of(mount: str) -> str:
    """The same for podman 4: U gives the folder to the user of the container, where Docker takes a number or a mode."""
    return re.sub(r"uid=\d+|mode=\d+", "U", mount)


@dataclass(frozen=True, slots=True)
class Services:
    """The running containers. ``images`` are those of the services that are not lakeui."""

    services: Mapping[str, Mapping[str, Any]]
    images: Mapping[str, str]

    def start(self) -> None:
        ran("podman", "network", "create", NAME)
        for name, service in self.services.items():
            image = self.images.get(service["image"].partition(":")[0], service["image"])
            command = run_arguments(name, service, IMAGE if service["image"] == "lakeui" else image)
            if service["restart"] == "no":
                ran("podman", "run", *command)
            else:
                ran("podman", "run", "--detach", *command)
                self._wait(name, service["healthcheck"]["test"])
            print(f"  {name}", flush=True)

    def inside(self, name: str, *command: str) -> str:
        return ran("podman", "exec", f"{NAME}-{name}", *command)

    def fails(self, name: str, *command: str) -> str:
        """What a command wrote that has to fail."""
        done = tried("podman", "exec", f"{NAME}-{name}", *command)
        if not done.returncode:
            raise Failed(f"{name}: {' '.join(command)} did not fail:\n{done.stdout}")
        return done.stdout

    def users(self) -> dict[str, str]:
        """The number of the user that the first process of each running service is."""
        running = [name for name, service in self.services.items() if service["restart"] != "no"]
        return {name: self.inside(name, "sh", "-c", "awk '/^Uid/ {print $2}' /proc/1/status") for name in running}

    def _wait(self, name: str, test: list[str]) -> None:
        kind, *words = test
        command = words if kind == "CMD" else ["sh", "-c", words[0].replace("$$", "$")]
        until = time.monotonic() + LONGEST_WAIT
        while tried("podman", "exec", f"{NAME}-{name}", *command).returncode:
            running = ran("podman", "inspect", "--format", "{{.State.Running}}", f"{NAME}-{name}").endswith("true")
            if not running or time.monotonic() > until:
                logs = tried("podman", "logs", "--tail=30", f"{NAME}-{name}").stdout
                raise Failed(f"{name} is not healthy:\n{logs}")
            time.sleep(1)


def services_remove() -> None:
    """Containers, volumes and the network of this test, of an earlier one that was killed as well."""
    found = tried("podman", "ps", "--all", "--format", "{{.Names}}").stdout.split()
    # Those who depend on others go first.
    for name in reversed([name for name in found if name.startswith(NAME)]):
        removed(["podman", "rm", "--force", "--time=2", name])
    volumes = tried("podman", "volume", "ls", "--format", "{{.Name}}").stdout.split()
    for name in [name for name in volumes if name.startswith(NAME)]:
        removed(["podman", "volume", "rm", "--force", name])
    removed(["podman", "network", "rm", "--force", NAME])
