#!/bin/bash
# usage: many_seeds.sh LIBCUDA CASES SUITE...
# Runs the suites on the emulated GPU at 200 seeds each. Stops at the first that fails and prints all that it said.
set -uo pipefail
libcuda=$1 cases=$2
shift 2
export LD_LIBRARY_PATH=$PWD/$(dirname "$libcuda")
export GEMM_CASES=$cases GEMM_GUARD=exact GEMM_MUST_HAVE_GPU=1 GEMM_RANDOM=0 GPU_EMULATOR_SEED
unset XML_OUTPUT_FILE
log=$(mktemp) || exit
trap 'rm -f "$log"' EXIT

for ((GPU_EMULATOR_SEED = 0; GPU_EMULATOR_SEED < 200; ++GPU_EMULATOR_SEED)); do
  for suite in "$@"; do
    "$suite" >"$log" 2>&1 && grep -q 'PASSED  \] [1-9]' "$log" && ! grep -q 'emulator:' "$log" && continue
    echo "$suite at seed $GPU_EMULATOR_SEED:"
    cat "$log"
    exit 1
  done
  ((GPU_EMULATOR_SEED % 20 == 19)) && echo "$((GPU_EMULATOR_SEED + 1)) seeds after $SECONDS s"
done
