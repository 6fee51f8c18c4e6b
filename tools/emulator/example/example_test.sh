#!/bin/bash
# usage: example_test.sh EMULATE BROKEN.ptx FIXED.ptx README
# The example of the README: what it shows is what is said, but for numbers, which another compiler may move.
set -uo pipefail
emulate=$1 broken=$2 fixed=$3 readme=$4
arguments=(scale buffer:16384:floats buffer:16384 f32:0.5 --grid 4 --block 128)

fail() {
  echo "$*" >&2
  exit 1
}

report=$("$emulate" "$broken" "${arguments[@]}" --seeds 1 2>&1)
(($? == 1)) || fail "the broken kernel passed: $report"
[[ $report == *"missing proxy fence in scale"* ]] || fail "another finding: $report"

masked() { sed -E 's/[0-9]+/N/g'; }
shown=$(masked <"$readme")
while IFS= read -r line; do
  [[ $shown == *"$line"* ]] || fail "the README lacks: $line"
done < <(masked <<<"$report")

passed=$("$emulate" "$fixed" "${arguments[@]}" 2>&1) || fail "the fixed kernel: $passed"
# The same results at every seed.
(($(sed 's/.*hash//' <<<"$passed" | sort -u | wc -l) == 1)) || fail "the seeds differ: $passed"

"$emulate" "$fixed" scale buffer:16384 2>/dev/null
(($? == 2)) || fail "an argument too few was taken"
"$emulate" "$fixed" scale buffer:16384 buffer:16384 f64:0.5 2>/dev/null
(($? == 2)) || fail "an argument of another size was taken"
"$emulate" "$fixed" scale buffer:x buffer:16384 f32:0.5 2>/dev/null
(($? == 2)) || fail "a bad argument was taken"
"$emulate" "$fixed" scal buffer:16384 buffer:16384 f32:0.5 2>/dev/null
(($? == 2)) || fail "a kernel that is not there was taken"
"$emulate" "$fixed" "${arguments[@]}" --block 128,x 2>/dev/null
(($? == 2)) || fail "a size that is none was taken"
"$emulate" "$fixed" "${arguments[@]}" --blocks 128 2>/dev/null
(($? == 2)) || fail "an option that is none was taken"
"$emulate" "$fixed" 2>/dev/null
(($? == 2)) || fail "no kernel was taken"
[[ $("$emulate" --help) == *"--cluster X[,Y[,Z]]"* ]] || fail "--help does not help"
one=$("$emulate" "$fixed" "${arguments[@]}" --block 128,1 --cluster=2,1,1 --seeds 0,2 --profile h100 2>&1) || fail "options: $one"
(($(wc -l <<<"$one") == 2)) || fail "two seeds say: $one"
