#!/bin/sh
# usage: substitute_test.sh SUBSTITUTE
# Strings are replaced one after the other, wherever they are; one that is not there is an error.
fail() {
  echo "$*"
  exit 1
}

cd "$TEST_TMPDIR" || exit
substitute=$TEST_SRCDIR/$TEST_WORKSPACE/$1
echo "a.b a.b axb" >in
"$substitute" in out a.b c c d || fail "fails on strings that are there"
[ "$(cat out)" = "d d axb" ] || fail "wrote: $(cat out)"
"$substitute" in none a.b c missing d 2>errors && fail "misses no string"
grep -q "has no 'missing'" errors || fail "said: $(cat errors)"
[ ! -e none ] || fail "wrote in spite of it"
