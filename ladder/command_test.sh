#!/bin/bash
# usage: command_test.sh GEMM GEMM_LADDER LIBCUDA
# `gemm ladder` on the emulated GPU: what it lists, refuses, times and writes.
COMMAND=ladder
source tools/gemm/companion_test.sh

expect 0 "S0-15             bf16>fp32" --list
expect 2 "--type is 'int8'" --type int8
expect 2 "--sizes has '64x'" --sizes 64x
expect 2 "--sizes has '0'" --sizes 0
expect 2 "--rungs has 'S9-1'; for fp16 there are S1-wmma-global" --type fp16 --rungs S9-1
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

# Where Bazel puts it.
gemm=$PWD/$1
expect 0 "S0-15" --list

done_testing
