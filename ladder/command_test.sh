#!/bin/bash
# usage: command_test.sh GEMM LIBCUDA
# `gemm ladder` on the emulated GPU: what it lists, refuses, times and writes, and what it says where gemm-ladder is not.
set -uo pipefail
gemm=$PWD/$1
export LD_LIBRARY_PATH=$PWD/$(dirname "$2")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0

# expect CODE TEXT ARGUMENT...: the exit code, and what stdout or stderr must contain.
expect() {
  local code=$1 text=$2
  shift 2
  "$gemm" ladder "$@" >"$folder/output" 2>&1
  local got=$?
  if ((got != code)) || ! grep -qF -- "$text" "$folder/output"; then
    echo "gemm ladder $*: exit code $got, expected $code and '$text' in:"
    cat "$folder/output"
    ((++failures))
  fi
}

# The emulated GPU's clock counts nothing, so graphs are as long as they may be: products must be tiny.
quick=(--sets 1 --rounds 1 --burst-ms 0.1 --vs none)
expect 0 "S0-15             bf16>fp32" --list
expect 0 "--sizes" --help
expect 2 "--type is 'int8'" --type int8
expect 2 "--sizes has '64x'" --sizes 64x
expect 2 "--sizes has '0'" --sizes 0
expect 2 "--rungs has 'S9-1'; for fp16 there are S1-wmma-global" --type fp16 --rungs S9-1
expect 2 "--rounds is 0" --rounds 0
expect 2 "S0-08 ran at no size: M is 4; this kernel has no tails: it must be a multiple of 128" \
  --sizes 4 --rungs S0-08 "${quick[@]}"
expect 0 "published" --sizes 4x3x2 --rungs S1-index-1d,S2-1 --out "$folder/out.json" "${quick[@]}"
python3 - "$folder/out.json" <<'END' || ((++failures))
import json, sys
case = json.load(open(sys.argv[1]))["cases"][0]
rungs = {entrant["name"]: entrant for entrant in case["entrants"] if entrant["side"] == "rung"}
assert set(rungs) == {"S1-index-1d", "S2-1"}, rungs
assert all(entrant["median_us"] > 0 and entrant["worst_error_of_bound"] <= 1 for entrant in rungs.values()), rungs
END

mkdir "$folder/alone" && cp "$gemm" "$folder/alone/gemm"
gemm=$folder/alone/gemm
expect 2 "./bazelw build //ladder:gemm-ladder" --list

((failures == 0))
