#!/bin/bash
# usage: run_emulated.sh LIBCUDA [VARIABLE=VALUE ...] PROGRAM ARGUMENT...
# Runs the program with the emulated GPU's libcuda.so.1 in the place of the driver's.
libcuda=$1
shift
export LD_LIBRARY_PATH=$PWD/$(dirname "$libcuda")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
exec env "$@"
