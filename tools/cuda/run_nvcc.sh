#!/bin/sh
# usage: run_nvcc.sh OUTPUT.ptx NVCC ARGUMENT...
# With -lineinfo, nvcc writes the absolute paths of the sandbox into the PTX, different ones each time. What remains is
# relative to the workspace.
output=$1
shift
"$@" || exit
if grep -q "$PWD/" "$output"; then
  sed -i "s|$PWD/\(\./\)*||" "$output"
fi
