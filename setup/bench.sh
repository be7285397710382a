#!/usr/bin/env bash
# The agent's kernels side by side with the tools that users know. ONLY (rows or groups) and PAIRS choose less.
. "$(dirname "$0")/shell.sh"

setup/packages.sh setup/anchors.txt "rows to this bench"
arguments=()
[ -z "${ONLY:-}" ] || arguments+=(--only "$ONLY")
[ -z "${PAIRS:-}" ] || arguments+=(--pairs "$PAIRS")
exec .venv/bin/python -m bench.anchors "${arguments[@]}"
