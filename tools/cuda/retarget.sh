#!/bin/sh
# usage: retarget.sh IN.ptx OUT.ptx ARCH
# The same PTX for compute capability 9.0 or newer, such as compute_90a: `.target` says so, and what inline assembly left as a
# comment that begins with `sm_90:` becomes an instruction (common/device/ptx/grid_dependency.cuh).
sed -e "s/^\.target sm_[0-9a-z]*/.target sm_${3#compute_}/" -e 's|// sm_90: ||' "$1" >"$2"
