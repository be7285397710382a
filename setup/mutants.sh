#!/usr/bin/env bash
# Which check finds each listed mutant of the agent. ONLY (kernels or names) chooses some.
. "$(dirname "$0")/shell.sh"

exec .venv/bin/python -m mutants --only "${ONLY:-}" "$@"
