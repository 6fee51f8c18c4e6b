#!/bin/bash
# usage: archive.sh VERSION ARCHIVE.tar.gz FILE...
#
# Packs the files into libgemm-VERSION/, each where its kind belongs, with @VERSION@ replaced in those that end in .in. The same files give
# the same bytes.
set -euo pipefail
readonly version=$1 archive=$2
shift 2

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
readonly root=$tree/libgemm-$version

for file in "$@"; do
  name=$(basename "$file")
  case $name in
    *.h) to=include/gemm ;;
    *.so) to=lib ;;
    *.pc.in) to=lib/pkgconfig ;;
    *.cmake | *.cmake.in) to=lib/cmake/libgemm ;;
    LICENSE | NOTICE) to=share/doc/libgemm ;;
    *)
      echo "archive.sh: no folder for $file" >&2
      exit 1
      ;;
  esac
  mkdir -p "$root/$to"
  case $name in
    *.in) sed "s/@VERSION@/$version/g" "$file" >"$root/$to/${name%.in}" ;;
    *) cp -L "$file" "$root/$to/$name" ;;
  esac
done
find "$root" -type f -exec chmod 644 {} +
find "$root" -type d -exec chmod 755 {} +
tar --create --directory="$tree" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner "libgemm-$version" |
  gzip --no-name --fast >"$archive"
