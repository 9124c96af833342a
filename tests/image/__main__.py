"""``make image-test``: builds docker/Dockerfile, starts the services of compose.yaml from it, and merges the demo lake.

buildah and podman do it, as root or as a person whom podman allows it. ``ARGS=--stand-ins`` takes Debian in place of
the official images, where no registry of images is reached. Ends with 1 where something is missing or fails.
"""

from __future__ import annotations

import argparse
import json
import secrets
import socket
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from tests.image.engine import PROGRAMS, Failed, programs_require, ran, removed
from tests.image.services import IMAGE, Services, services_read, services_remove
from tests.image.stand_ins import dockerfile_of, stand_ins_make, stand_ins_remove

ROOT = Path(__file__).resolve().parents[2]
DOCKER = ROOT / "docker"


def main() -> int:
    parser = argparse.ArgumentParser(prog="make image-test", description=__doc__)
    parser.add_argument("--stand-ins", action="store_true", help="Debian in place of the official images")
    parser.add_argument("--keep", action="store_true", help="keep the images, so that the next run is short")
    options = parser.parse_args()
    try:
        programs_require(*PROGRAMS)
        _tried(options.stand_ins, options.keep)
    except Failed as problem:
        print(problem, file=sys.stderr)
        return 1
    print("The image is in order.")
    return 0


def _tried(with_stand_ins: bool, is_kept: bool) -> None:
    """Leaves nothing behind, whatever happens; a run that was killed is removed by the next one."""
    services_remove()
    try:
        run(with_stand_ins, is_kept)
    finally:
        services_remove()
        if not is_kept:
            removed(["buildah", "rmi", "--force", IMAGE])
            stand_ins_remove()


def run(with_stand_ins: bool, is_kept: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="lakeui-image-") as made:
        bases = stand_ins_make() if with_stand_ins else {}
        image_build(Path(made), bases, is_kept)
        port = _free_port()
        print("starting", flush=True)
        services = Services(services_read(DOCKER / "compose.yaml", _values(Path(made), port)), bases)
        services.start()
        ready(port)
        users_check(services)
        demo_merge(services)


def image_build(folder: Path, bases: dict[str, str], is_kept: bool) -> None:
    """Only images that are kept have layers of their own: nothing else removes those."""
    print("building", flush=True)
    text = (DOCKER / "Dockerfile").read_text()
    dockerfile = folder / "Dockerfile"
    dockerfile.write_text(dockerfile_of(text, bases) if bases else text)
    layers = f"--layers={str(is_kept).lower()}"
    ran("buildah", "build", layers, "--network=host", "--file", str(dockerfile), "--tag", IMAGE, str(ROOT))


def ready(port: int) -> None:
    """Each part is ok, as the published port says."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=60) as answer:
            found = json.load(answer)
    except urllib.error.HTTPError as error:
        raise Failed(f"/readyz answers {error.code}: {error.read().decode(errors='replace')}") from error
    print(f"ready: {json.dumps(found)}", flush=True)


def users_check(services: Services) -> None:
    """No process is root, lakeui's are user 10001, and none can write to its image."""
    user = ran("podman", "image", "inspect", "--format", "{{.Config.User}}", IMAGE)
    if user != "10001:10001":
        raise Failed(f"The image names user {user}, and not a number.")
    users = services.users()
    ours = {name for name, service in services.services.items() if service["image"] == "lakeui"}
    wrong = {name: number for name, number in users.items() if number == "0" or (name in ours) != (number == "10001")}
    if wrong:
        raise Failed(f"These run as another user than they have to: {wrong}")
    services.fails("web", "touch", "/app/written")
    print(f"users: {users}", flush=True)


def demo_merge(services: Services) -> None:
    """The first steps of the tutorial: a merge is refused, and main is merged."""
    services.inside("web", "python", "manage.py", "demo")
    statement = ("python", "manage.py", "sql", "--catalog=demo")
    refused = services.fails("web", *statement, "MERGE BRANCH delays")
    if "MERGE_CONFLICT" not in refused:
        raise Failed(f"MERGE BRANCH delays fails by something else than a conflict:\n{refused}")
    merged = services.inside("web", *statement, "--branch=delays", "MERGE BRANCH main")
    print(f"refused: {refused.splitlines()[0]}\nmerged: {merged.splitlines()[-1]}", flush=True)


def _values(folder: Path, port: int) -> dict[str, str]:
    """What docker/.env of a real server holds."""
    (folder / "secrets").mkdir()
    names = ("POSTGRES_PASSWORD", "REDIS_PASSWORD", "LAKEUI_SECRET_KEY", "LAKEUI_ADMIN_PASSWORD")
    values = {name: secrets.token_hex(32) for name in names}
    small = dict.fromkeys(("LAKEUI_SPARK_MEMORY", "LAKEUI_SPARK_QUERY_MEMORY"), "1g")
    return values | small | {"LAKEUI_PORT": str(port), "SECRETS_FOLDER": str(folder / "secrets")}


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


if __name__ == "__main__":
    sys.exit(main())
