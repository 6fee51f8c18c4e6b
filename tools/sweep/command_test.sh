#!/bin/bash
# usage: command_test.sh GEMM GEMM_SWEEP_SMALL LIBCUDA
# `gemm sweep` on the emulated GPU: what it lists, refuses, times and writes.
COMMAND=sweep
source tools/gemm/companion_test.sh

expect 0 "32x64x32_t8x8_w1x1x4_s3_c4_rows" --list
expect 2 "neither a shape file nor --sizes" --layouts nk
expect 2 "--sizes 64x" --sizes 64x
expect 2 "--sizes 0" --sizes 0
expect 2 "layout 'zz'" --sizes 64 --layouts zz
expect 2 "--only is 'wgmma', which no shape's name contains" --sizes 64 --only wgmma
expect 2 "--parts has 0; 1 to 255" --sizes 64 --parts 0
expect 2 "--top is 0" --sizes 64 --top 0
expect 2 "none.txt" "$folder/none.txt"

expect 2 "no shape of the grid takes it" --sizes 8x8x8 "${quick[@]}"
expect 0 "libgemm" --sizes 36x68x77 --layouts kn "${quick[@]}"
expect 0 "4 shapes timed, 0 not" --sizes 33x35x133 --parts 1,2 --out "$folder/out.json" "${quick[@]}"
python3 - "$folder/out.json" <<'END' || ((++failures))
import json, sys
case = json.load(open(sys.argv[1]))["cases"][0]
shapes = {entrant["name"]: entrant for entrant in case["entrants"] if entrant["side"] == "shape"}
names = {"32x64x32_t8x8_w1x1x4_s3_c4_rows", "32x32x32_t8x4_w1x1x4_s3_c6_columns"}
assert set(shapes) == names | {name + "_p2" for name in names}, shapes
for entrant in shapes.values():
    assert entrant["median_us"] > 0 and entrant["worst_error_of_bound"] <= 1, entrant
    assert "registers" in entrant["config"], entrant
END

# The disk is full after the first product: its results stay. 1024 bytes are a block.
"$gemm" sweep --sizes 33x35x133 --out "$folder/full.json" "${quick[@]}" >"$folder/output"
blocks=$(($(wc -c <"$folder/full.json") * 5 / 4 / 1024))
rm "$folder/full.json"
(
  trap '' XFSZ
  ulimit -f "$blocks"
  expect 2 "full.json: cannot be written: File too large" --sizes 33x35x133,36x68x77,35x33x133 --out "$folder/full.json" "${quick[@]}"
  ((failures == 0))
) || ((++failures))
python3 -c 'import json, sys; assert len(json.load(open(sys.argv[1]))["cases"]) == 1' "$folder/full.json" || ((++failures))

done_testing
