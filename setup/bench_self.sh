#!/usr/bin/env bash
# Virtometer's own speed and soundness on this machine. Takes about half an hour; the figures mean something when it idles.
. "$(dirname "$0")/shell.sh"

failed=0
echo "== Provisioning and overhead"
.venv/bin/python -m bench.provisioning || failed=1
echo "== Comparing clocks"
.venv/bin/python -m bench.comparing || failed=1
echo "== Trials refused because of ordinary clocks"
.venv/bin/python -m bench.refusals --trials "${TRIALS:-120}" || failed=1
echo "== Small orders of linpack where the clock is dear"
.venv/bin/python -m bench.small_orders || failed=1
echo "== Reports of a large campaign"
.venv/bin/python -m bench.report_speed || failed=1
echo "== A/A: one environment under two names"
.venv/bin/python -m bench.aa --campaigns "${CAMPAIGNS:-20}" || failed=1
echo "== Slices and long windows"
.venv/bin/python -m bench.slices || failed=1
echo "== Kills"
.venv/bin/python -m bench.kills --kills "${KILLS:-200}" || failed=1
exit $failed
