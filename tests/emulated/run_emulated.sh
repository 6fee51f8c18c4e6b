#!/bin/bash
# usage: run_emulated.sh LIBCUDA [VARIABLE=VALUE ...] PROGRAM ARGUMENT...
# Runs the program with the emulated GPU's libcuda.so.1 in the place of the driver's. A test that finds no GPU, or another one than it
# needs, fails (tests/support/gpu_environment.h).
libcuda=$1
shift
export LD_LIBRARY_PATH=$PWD/$(dirname "$libcuda")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export GEMM_MUST_HAVE_GPU=1
env "$@" || exit

# Of those that do not know GEMM_MUST_HAVE_GPU one test at least must not have been skipped.
[[ ! -s ${XML_OUTPUT_FILE-} ]] || grep -q 'result="completed"' "$XML_OUTPUT_FILE" || {
  echo "run_emulated.sh: all tests were skipped"
  exit 1
}
