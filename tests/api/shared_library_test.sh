#!/bin/bash
# libgemm.so needs the C and C++ runtimes and nothing else, exports the public functions and nothing else, and stays
# within its budget. Usage: shared_library_test.sh libgemm.so
set -euo pipefail
readonly library="$1"
readonly budget_bytes=$((8 * 1000 * 1000))
failed=0

fail() {
  echo "FAILED: $*" >&2
  failed=1
}

size=$(stat -L -c %s "$library")
echo "size: $size bytes of $budget_bytes"
[ "$size" -lt "$budget_bytes" ] || fail "the library has $size bytes; the budget is $budget_bytes"

needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
[ -n "$needed" ] || fail "readelf lists no needed library: is this check still reading its output?"
for name in $needed; do
  case "$name" in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | libstdc++.so.* | libgcc_s.so.* | ld-linux-*) ;;
    *) fail "it needs $name" ;;
  esac
done

undefined=$(nm -D --undefined-only "$library" | awk '{print $NF}')
if echo "$undefined" | grep -E '^(cu|cuda)[A-Z]'; then
  fail "it takes CUDA functions from another library"
fi

exported=$(nm -D --defined-only "$library" | awk '{print $NF}' | c++filt)
foreign=$(echo "$exported" | grep -vE '^gemm::(Plan::|Tuning::|Gemm\(|Name\(|Version\()' || true)
[ -z "$foreign" ] || fail "it exports what is not public: $foreign"
for name in 'gemm::Gemm(gemm::Problem const&, gemm::Arguments const&)' 'gemm::Version()' \
  'gemm::Plan::Run(gemm::Arguments const&) const' 'gemm::Plan::~Plan()' 'gemm::Name(gemm::StatusCode)'; do
  echo "$exported" | grep -qxF "$name" || fail "it does not export $name"
done
exit "$failed"
