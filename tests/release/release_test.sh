#!/bin/bash
# usage: release_test.sh ARCHIVE.tar.gz MULTIPLY.cc LIBCUDA cuda.h
#
# The archive has the files it should and no others, and builds programs by pkg-config and by CMake wherever it is unpacked.
set -uo pipefail
readonly archive=$1 multiply=$2 libcuda=$3
cuda_include=$(dirname "$4")
tests=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LD_LIBRARY_PATH=$PWD/$(dirname "$libcuda") GPU_EMULATOR_SEED=1
failures=0

fail() {
  echo "FAILED: $*"
  ((++failures))
}

# A space in the path, as nobody promises that there is none.
mkdir "$folder/any where" && tar -xf "$archive" -C "$folder/any where" || exit 1
root=$(echo "$folder/any where"/*)
version=${root##*/libgemm-}
files=$(cd "$root" && find . -type f | LC_ALL=C sort)
expected='./include/gemm/gemm.h
./include/gemm/status.h
./include/gemm/types.h
./lib/cmake/libgemm/libgemm-config-version.cmake
./lib/cmake/libgemm/libgemm-config.cmake
./lib/libgemm.so
./lib/pkgconfig/libgemm.pc
./share/doc/libgemm/LICENSE
./share/doc/libgemm/NOTICE'
[[ $files == "$expected" ]] || fail "the archive has these files:"$'\n'"$files"
! grep -r -l --include='*.pc' --include='*.cmake' '@' "$root/lib" || fail "something was not filled in"

# pkg-config. Its shell quoting is what make and eval undo.
export PKG_CONFIG_PATH=$root/lib/pkgconfig
[[ $(pkg-config --modversion libgemm) == "$version" ]] || fail "pkg-config gives another version than the folder, $version"
eval "flags=($(pkg-config --cflags --libs libgemm))"
eval "library_folder=$(pkg-config --variable=libdir libgemm)"
g++ -std=c++17 -I"$cuda_include" "$multiply" "${flags[@]}" -Wl,-rpath,"$library_folder" "$libcuda" -o "$folder/multiply" ||
  fail "examples/multiply.cc does not build by pkg-config"
output=$("$folder/multiply" 3 17 19) && [[ $output == *$'\nok' ]] || fail "multiply says: $output"

# configure FOLDER VERSION: the program by CMake, which asks for that version.
configure() {
  cmake -S "$tests" -B "$folder/$1" -DCMAKE_PREFIX_PATH="$root" -DLIBGEMM_ASKED="$2" >"$folder/$1.log" 2>&1
}
if configure build "$version" && cmake --build "$folder/build" >>"$folder/build.log" 2>&1; then
  output=$("$folder/build/program")
  [[ $output == "$version "*_* ]] || fail "the program built by CMake says: $output"
else
  cat "$folder/build.log"
  fail "the program does not build by CMake"
fi
IFS=. read -r major minor patch <<<"$version"
for asked in "" "$major" "$major.$minor"; do
  configure "with$asked" "$asked" || fail "CMake does not find version '$asked'"
done
for asked in "$((major + 1))" "$major.$((minor + 1))" "$major.$minor.$((patch + 1))" "$((major + 1)).$minor"; do
  ! configure "without$asked" "$asked" || fail "CMake takes $version for $asked"
  grep -q "version: $version" "$folder/without$asked.log" || fail "CMake does not name the version it found"
done

((failures == 0))
