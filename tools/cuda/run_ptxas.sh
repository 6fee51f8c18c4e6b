#!/bin/sh
# usage: run_ptxas.sh REPORT PTXAS ARGUMENT...
# Keeps what ptxas says, on either stream, in REPORT. A warning does not fail the build (tests read the report), but it
# is shown; an error fails the build and shows everything.
report=$1
shift
TMPDIR=$(mktemp -d) || exit # why: run_nvcc.sh
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
"$@" >"$report" 2>&1
status=$?
if [ "$status" -ne 0 ]; then
  cat "$report" >&2
else
  grep -i warning "$report" >&2
fi
exit "$status"
