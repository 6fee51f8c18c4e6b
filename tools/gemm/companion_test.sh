# usage: COMMAND=... source tools/gemm/companion_test.sh GEMM PROGRAM LIBCUDA
# What tests of `gemm ladder` and `gemm sweep`, which start a program of their own, have in common: `gemm COMMAND` on the emulated
# GPU, in a folder where the program lies beside it, and what all such commands refuse.
set -uo pipefail
export LD_LIBRARY_PATH=$PWD/$(dirname "$3")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
gemm=$folder/gemm
cp "$1" "$gemm"
failures=0

# expect CODE TEXT ARGUMENT...: the exit code, and what stdout or stderr must contain.
expect() {
  local code=$1 text=$2
  shift 2
  "$gemm" "$COMMAND" "$@" >"$folder/output" 2>&1
  local got=$?
  if ((got != code)) || ! grep -qF -- "$text" "$folder/output"; then
    echo "gemm $COMMAND $*: exit code $got, expected $code and '$text' in:"
    cat "$folder/output"
    ((++failures))
  fi
}

# done_testing: the exit code. Last of all without a driver: a file that is no library cannot be opened.
done_testing() {
  mkdir "$folder/empty" && : >"$folder/empty/libcuda.so.1"
  LD_LIBRARY_PATH=$folder/empty expect 3 "libcuda.so.1" --sizes 64
  ((failures == 0))
}

expect 2 "gemm-$COMMAND' builds it" --list
cp "$2" "$folder/gemm-$COMMAND"

# The emulated GPU's clock counts nothing, so graphs are as long as they may be: products must be tiny.
quick=(--sets 1 --rounds 1 --burst-ms 0.1 --vs none)
expect 0 "--sizes" --help
expect 2 "--rounds is 0" --sizes 64 --rounds 0
expect 2 "see gemm $COMMAND --help" --nonsense
expect 2 "--out is 'x.png'" --sizes 64 --out x.png
expect 3 "the driver sees 1 device" --sizes 64 --device 7
