#!/bin/bash
# usage: multiply_test.sh MULTIPLY LIBCUDA
# The example on the emulated GPU: right products, and a word on each failure.
set -uo pipefail
multiply=$1
LD_LIBRARY_PATH=$PWD/$(dirname "$2")
export LD_LIBRARY_PATH GPU_EMULATOR_SEED=1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0

# expect CODE TEXT ARGUMENT...: the exit code, and what stdout or stderr must contain.
expect() {
  local code=$1 text=$2
  shift 2
  "$multiply" "$@" >"$folder/output" 2>&1
  local got=$?
  if ((got != code)) || ! grep -q -- "$text" "$folder/output"; then
    echo "multiply $*: exit code $got, expected $code and '$text' in:"
    cat "$folder/output"
    ((++failures))
  fi
}

expect 0 "^device NVIDIA H200 (emulated)$"
kernel=$(sed -n 's/^kernel //p' "$folder/output")
expect 0 "^ok$"
expect 0 "^ok$" 3 17 19
# Rows that TMA cannot address are copied to workspace first.
expect 0 "^workspace [1-9]" 256 256 1001
expect 0 "^ok$" 256 256 1001
GPU_EMULATOR_PROFILE=a100 expect 0 "^kernel ampere_" 40 72 136

expect 1 "usage" 1 2 3 4
expect 1 "0: sizes are 1 or more" 16 0
expect 1 "none: sizes are 1 or more" none
GPU_EMULATOR_DEVICES=0 expect 1 "multiply: cuInit: " 16
LIBGEMM_KERNEL=nonsense expect 1 "multiply: Plan::Create: LIBGEMM_KERNEL is \"nonsense\""
GPU_EMULATOR_SEED=x expect 1 "multiply: cuInit: "

# The chosen kernel replaced by one that computes nothing.
printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry %s(.param .b32 unused) { ret; }\n' "$kernel" >"$folder/nothing.ptx"
GPU_EMULATOR_PTX=$folder/nothing.ptx expect 1 "multiply: y: differs from the CPU's product"

((failures == 0))
