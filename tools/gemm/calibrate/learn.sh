#!/bin/bash
# usage: tools/gemm/calibrate/learn.sh GEMM PYTHON
#
# Learns common/correction/forest.inc anew from all times in docs/perf/calibrate, by the gemm command GEMM and a PYTHON that has LightGBM
# and pandas. tools/gemm/README.md, "Calibration", says which times count how, and why some are not learned.
set -euo pipefail
shopt -s nullglob

if (($# != 2)); then
  echo "usage: $0 GEMM PYTHON" >&2
  exit 2
fi
gemm=$1
python=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
table=$root/common/correction/forest.inc
features=$(mktemp -d)
trap 'rm -rf "$features"' EXIT

# named GLOB [PATTERN]: the files of features whose names match GLOB and do not have PATTERN.
named() {
  local file
  for file in "$features"/$1; do
    [[ -n ${2:-} && ${file##*/} =~ $2 ]] || printf '%s\n' "$file"
  done
}

for times in "$root"/docs/perf/calibrate/*.json; do
  "$gemm" calibrate --report --from "$times" --features "$features/$(basename "$times" .json).csv" >/dev/null
done

# Not learned at all, or by the second command alone.
readonly others='batches|odd[0123]|anywhere|columns|classes|m64|steps256'
mapfile -t all < <(named '*-bf16.csv' "long|settled|$others")
mapfile -t settled < <(named '*settled*-bf16.csv')
mapfile -t long < <(named '*-long-bf16.csv' 'heads')
mapfile -t pieces < <(named '*-bf16.csv' "settled1[1-9]|settled[2345][0-9]|large[12]|heads|$others")
mapfile -t late < <(named '*settled4[4-9]-bf16.csv' && named '*settled5[0-2]-bf16.csv')
"$python" "$root/tools/gemm/calibrate/forest.py" --out "$table" "${all[@]}" --settled "${settled[@]}" --long "${long[@]}" \
  --pieces "${pieces[@]}" --late "${late[@]}"

mapfile -t columns < <(named '*-columns[0-8]-bf16.csv')
"$python" "$root/tools/gemm/calibrate/forest.py" --onto "$table" --out "$table" "${columns[@]}"
