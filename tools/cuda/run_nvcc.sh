#!/bin/sh
# usage: run_nvcc.sh OUTPUT.ptx NVCC ARGUMENT...
# With -lineinfo, nvcc writes the absolute paths of the sandbox into the PTX, different ones each time. What remains is
# relative to the workspace.
#
# nvcc names its temporary files by its process id and looks whether a name is taken before it takes it. In Bazel's
# sandboxes all process ids are the same few small numbers and /tmp is shared, so that two compilers at once write into
# each other's files now and then. Each gets a folder of its own.
output=$1
shift
TMPDIR=$(mktemp -d) || exit
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
"$@" || exit
if grep -q "$PWD/" "$output"; then
  sed -i "s|$PWD/\(\./\)*||" "$output"
fi
