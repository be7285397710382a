#!/usr/bin/env bash
# Virtometer's own speed and soundness on this machine. Takes about two hours; the figures mean something when it idles.
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
echo "== Findings of a large table"
.venv/bin/python -m bench.analyse_speed || failed=1
echo "== A/A: one environment under two names"
.venv/bin/python -m bench.aa --campaigns "${CAMPAIGNS:-20}" || failed=1
echo "== Slices, long windows and the former design"
.venv/bin/python -m bench.slices --pairs "${PAIRS:-1}" || failed=1
echo "== Slices beside long windows, by the same guests"
.venv/bin/python -m bench.both_ways --minutes "${MINUTES:-20}" || failed=1
echo "== Slowdowns of known size"
.venv/bin/python -m bench.truths --campaigns "${TRUTHS:-2}" --budget "${BUDGET:-120}" || failed=1
echo "== A guest that stands still again and again"
.venv/bin/python -m bench.stalls || failed=1
echo "== Verdicts beside stops at random"
.venv/bin/python -m bench.stalls --sweep || failed=1
echo "== Memory in stretches and in whole passes"
.venv/bin/python -m bench.stretches || failed=1
echo "== Half a processor by a quota"
.venv/bin/python -m bench.quota --only "cpu linpack 500" || failed=1
echo "== Whether campaigns agree on operations that have two speeds"
.venv/bin/python -m bench.agreement --campaigns "${AGREEMENTS:-2}" || failed=1
echo "== Marks of quiet and of disturbed trials"
.venv/bin/python -m bench.false_marks || failed=1
echo "== Eight factors in a fraction and one at a time"
.venv/bin/python -m bench.designs --blocks "${BLOCKS:-6}" || failed=1
echo "== Kills"
.venv/bin/python -m bench.kills --kills "${KILLS:-200}" || failed=1
exit $failed
