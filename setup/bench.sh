#!/usr/bin/env bash
# The agent's kernels side by side with the tools that users know. ONLY (rows or groups), PAIRS, LENGTH and DISK_LENGTH (s of a run) choose less.
. "$(dirname "$0")/shell.sh"

setup/packages.sh setup/anchors.txt "rows to this bench"
arguments=()
[ -z "${ONLY:-}" ] || arguments+=(--only "$ONLY")
[ -z "${PAIRS:-}" ] || arguments+=(--pairs "$PAIRS")
[ -z "${LENGTH:-}" ] || arguments+=(--seconds "$LENGTH")
[ -z "${DISK_LENGTH:-}" ] || arguments+=(--disk-seconds "$DISK_LENGTH")
exec .venv/bin/python -m bench.anchors "${arguments[@]}"
