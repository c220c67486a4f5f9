#!/usr/bin/env bash
# Our environments under the libraries that train on them, as docs/training.md shows it, and
# our own training:
#
#     tests/adapters/run.sh                  # all of them
#     tests/adapters/run.sh sb3 rllib        # some
#
# Each gets a virtual environment of its own, made from this checkout and its extra of
# pyproject.toml at current releases, since they pin different releases of gymnasium.
# They are kept in $ADAPTERS_VENVS if it is set, and else made anew and removed.
# TORCH says which torch to install, such as TORCH=torch==2.13.0; any, if it is not set.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../.." && pwd)
venvs=${ADAPTERS_VENVS:-$(mktemp -d)}
[[ -n ${ADAPTERS_VENVS:-} ]] || trap 'rm -rf "$venvs"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=1
export OMP_NUM_THREADS=1  # the networks are small
unset PYTHONPATH VIRTUAL_ENV

[[ $# -gt 0 ]] || set -- sb3 tianshou rllib train
for extra in "$@"; do
    printf '\n== %s\n' "$extra"
    venv="$venvs/$extra"
    [[ -d $venv ]] || python3 -m venv "$venv"
    "$venv/bin/pip" install "${TORCH:-torch}"
    "$venv/bin/pip" install "$checkout[$extra]" pytest
    "$venv/bin/pip" freeze | grep -iE '^(sb3|stable|tianshou|ray|torch|gymnasium|pettingzoo|numpy)'
    (cd "$here" && "$venv/bin/pytest" -q --durations=3 "check_$extra.py")
done
