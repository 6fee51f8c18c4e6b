#!/bin/bash
# run_all on made-up test programs: what passes, fails, is skipped, dies and hangs is counted and shown.
set -uo pipefail

folder=$(mktemp -d "${TEST_TMPDIR:-/tmp}/bundle.XXXXXX")
cp -L "$(dirname "$0")/run_all" "$folder/run_all"
mkdir -p "$folder/libgemm/tests"
failures=0

# program NAME: a test program from stdin, with $xml the file it is asked to write.
program() {
  {
    echo '#!/bin/bash'
    echo 'for a in "$@"; do case $a in --gtest_output=xml:*) xml=${a#--gtest_output=xml:} ;; esac; done'
    cat
  } >"$folder/libgemm/tests/$1"
  chmod +x "$folder/libgemm/tests/$1"
  echo "libgemm/tests/$1" >>"$folder/tests.list"
}

# expect WHAT STATUS PATTERN ARGUMENT...: run_all with these arguments exits so and prints a line like that.
expect() {
  local what=$1 status=$2 pattern=$3 output
  shift 3
  output=$("$folder/run_all" "$@" 2>&1)
  local got=$?
  if [[ $got -ne $status ]] || ! grep -Eq -- "$pattern" <<<"$output"; then
    echo "FAILED: $what: exit code $got, wanted $status and a line like '$pattern'; got:"
    echo "$output"
    ((++failures))
  fi
}

program good_test <<'END'
cat >"$xml" <<'XML'
<testsuites tests="4" failures="0">
  <testcase name="A" status="run" result="completed" time="0" />
  <testcase name="B" status="run" result="completed" time="0" />
  <testcase name="C" status="run" result="skipped" time="0">
    <skipped message="no GPU" />
  </testcase>
  <testcase name="DISABLED_D" status="notrun" result="suppressed" time="0" />
</testsuites>
XML
[[ $PWD == */libgemm && $TEST_SRCDIR/libgemm == "$PWD" ]] || exit 5
echo "arguments: $*"
END
expect "all good" 0 '^good_test +2 passed, 0 failed, 1 skipped, ' 
expect "total" 0 '^2 passed, 0 failed, 1 skipped$'
expect "filter and arguments reach the tests" 0 'arguments: .*--gtest_filter=A\*$' --filter 'A*' --verbose
expect "arguments after --" 0 'arguments: .* --gtest_repeat=2$' --verbose -- --gtest_repeat=2
expect "wrap" 0 '^2 passed' --wrap 'env X=1'

program bad_test <<'END'
cat >"$xml" <<'XML'
<testsuites>
  <testcase name="A" status="run" result="completed">
    <failure message="wrong"><![CDATA[wrong]]></failure>
  </testcase>
  <testcase name="B" status="run" result="completed" />
</testsuites>
XML
echo "what went wrong"
exit 1
END
expect "a failing test" 1 '^bad_test +1 passed, 1 failed, 0 skipped, .* exit code 1$'
expect "its log is shown" 1 '^what went wrong$'
expect "total with a failing test" 1 '^3 passed, 1 failed, 1 skipped$'
expect "only" 0 '^2 passed, 0 failed, 1 skipped$' --only good_test

program dying_test <<'END'
echo '[       OK ] Suite.A (1 ms)'
kill -SEGV $$
END
expect "a dying test" 1 '^dying_test +1 passed, 1 failed, 0 skipped, .* exit code 139$' --only=dying_test

program hanging_test <<'END'
echo $$ >../hanging_pid
exec sleep 60
END
expect "a hanging test" 1 'hanging_test +0 passed, 1 failed.*stopped after 1 s$' --only hanging_test --timeout 1

# Two that pass only while both run, and what has failed above.
for name in one two; do
  program meeting_${name}_test <<'END'
: >"../met_${0##*/}"
for ((i = 0; i < 50; ++i)); do
  if [[ -e ../met_meeting_one_test && -e ../met_meeting_two_test ]]; then
    echo "[       OK ] Suite.A (1 ms)"
    echo "met in $TEST_TMPDIR"
    exit 0
  fi
  sleep 0.1
done
exit 1
END
done
meeting=(--only meeting_one_test --only meeting_two_test)
expect "side by side" 0 '^2 passed, 0 failed, 0 skipped$' "${meeting[@]}" --jobs 2
grep -q "met in .*meeting_one_test" "$folder/results/meeting_one_test.log" &&
  grep -q "met in .*meeting_two_test" "$folder/results/meeting_two_test.log" || {
  echo "FAILED: a log and a folder for each of two side by side"
  ((++failures))
}
rm "$folder"/met_*
expect "no more than asked for" 1 '^meeting_one_test +0 passed, 1 failed' "${meeting[@]}"
output=$("$folder/run_all" --jobs 3 --timeout 3 2>&1)
got=$?
for line in '^good_test +2 passed, 0 failed, 1 skipped, ' '^what went wrong$' '^dying_test +1 passed, 1 failed, .* exit code 139$' \
  '^hanging_test +0 passed, 1 failed.*stopped after 3 s$' '^6 passed, 3 failed, 1 skipped$'; do
  if [[ $got -ne 1 ]] || ! grep -Eq -- "$line" <<<"$output"; then
    echo "FAILED: all side by side: exit code $got, wanted 1 and a line like '$line'; got:"
    echo "$output"
    ((++failures))
  fi
done
expect "shown side by side" 0 '^met in ' "${meeting[@]}" --jobs 2 --verbose

# Who stops run_all stops what it runs.
rm -f "$folder/hanging_pid"
"$folder/run_all" --only hanging_test --jobs 2 >/dev/null 2>&1 &
runner=$!
while [[ ! -s $folder/hanging_pid ]]; do sleep 0.1; done
kill "$runner"
wait "$runner"
if [[ $? -ne 143 ]] || kill -0 "$(<"$folder/hanging_pid")" 2>/dev/null; then
  echo "FAILED: a stopped run_all leaves its binaries"
  ((++failures))
fi

expect "list" 0 '^bad_test$' --list
expect "help" 0 '--filter PATTERN' --help
expect "unknown option" 2 'unknown option --nonsense' --nonsense
expect "option without value" 2 '--filter wants a value' --filter
expect "no jobs" 2 "--jobs is '0'; 1 or more is allowed" --jobs 0
expect "no such binary" 2 'no such test binary: x;' --only x
expect "one of two is no binary" 2 'no such test binary: x;' --only good_test --only x

# What passes nothing has not passed.
program skipping_test <<'END'
cat >"$xml" <<'XML'
<testsuites>
  <testcase name="A" status="run" result="skipped">
    <skipped message="no GPU" />
  </testcase>
</testsuites>
XML
END
program filtered_test <<'END'
echo '<testsuites tests="0"></testsuites>' >"$xml"
END
expect "all skipped" 1 '^nothing passed: all tests were skipped, or there are none$' --only skipping_test
expect "a filter that matches nothing" 1 '^nothing passed: .* none that match Z\*$' --only filtered_test --filter 'Z*'
expect "some skipped" 0 '^2 passed, 0 failed, 2 skipped$' --only skipping_test --only filtered_test --only good_test
: >"$folder/tests.list"
expect "an empty bundle" 1 '^nothing passed: '

((failures == 0)) && echo "all as expected"
exit "$((failures > 0))"
