#!/usr/bin/env python3
"""tools/machine_report with a made-up gemm command."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import made_up

PROGRAM = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools", "machine_report")
# Writes what the test laid beside it; ladder fails halfway. A flag that is given twice is refused, as by CLI11.
GEMM = """#!/bin/sh
here=$(dirname "$0")
echo "$@" >>"$here/calls"
twice=$(printf '%s\\n' "$@" | grep -o '^--[^=]*' | sort | uniq -d)
[ -z "$twice" ] || { echo "gemm: $twice: At Most 1 required but received 2" >&2; exit 2; }
for out; do :; done
cp "$here/$1.json" "$out"
[ "$1" != ladder ] || { echo "gemm: no such GPU" >&2; exit 3; }
"""


class MachineReport(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.out = self.path("machine.json")
        for name, made in (("ceilings", made_up.ceilings()), ("bench", made_up.bench()), ("ladder", made_up.ladder())):
            pathlib.Path(self.path(name + ".json")).write_text(json.dumps(made), encoding="utf-8")
        gemm = pathlib.Path(self.path("gemm"))
        gemm.write_text(GEMM, encoding="utf-8")
        gemm.chmod(0o755)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_it(self, *arguments):
        command = [sys.executable, PROGRAM, "--out", self.out, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def written(self):
        return json.loads(pathlib.Path(self.out).read_text(encoding="utf-8"))

    def test_every_step_is_run_and_a_failure_leaves_the_others(self):
        done = self.run_it("--gemm", self.path("gemm"), "--types", "bf16,fp32", "--shapes", "x.txt", "--cublaslt-path", "/c",
                           "--", "--edges", "programmatic")
        self.assertEqual(done.returncode, 1, done.stderr)
        machine = self.written()
        self.assertEqual((machine["libgemm_machine"], len(machine["bench"]), len(machine["ladder"])), (1, 1, 2))
        self.assertEqual(machine["failures"], ["ladder: exit code 3: gemm: no such GPU"] * 2)
        calls = pathlib.Path(self.path("calls")).read_text(encoding="utf-8").splitlines()
        self.assertEqual([call.split()[0] for call in calls], ["ceilings", "bench", "ladder", "ladder"])
        self.assertIn("x.txt --types bf16,fp32 --cublaslt-path /c --edges programmatic --out", calls[1])
        self.assertIn("ladder --type fp32 --sizes 4096,8192 --cublaslt-path /c", calls[3])

    def test_rows_are_timed_besides_at_square_products(self):
        row = "ampere_bf16_kk_128x256x64_s3"
        done = self.run_it("--gemm", self.path("gemm"), "--skip", "ceilings,ladder", "--quick", "--rows", f"{row},simt_fp32_kk_64x64x16",
                           "--", "--rounds", "2", "--burst-ms=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        machine = self.written()
        self.assertEqual((len(machine["bench"]), len(machine["rows"])), (1, 2))
        calls = pathlib.Path(self.path("calls")).read_text(encoding="utf-8").splitlines()
        self.assertRegex(calls[1], f"^bench .*/rows.txt --types bf16 --kernel {row} --rounds 2 --burst-ms=1 --energy-ms 0 --out")
        self.assertIn("--types fp32 --kernel simt_fp32_kk_64x64x16", calls[2])
        # They stay apart when reports are put together.
        pathlib.Path(self.path("whole.json")).write_text(json.dumps(machine), encoding="utf-8")
        self.assertEqual(self.run_it("--merge", self.path("whole.json")).returncode, 0)
        self.assertEqual(self.written(), machine)
        done = self.run_it("--gemm", self.path("gemm"), "--rows", "ampere")
        self.assertEqual((done.returncode, "--rows has 'ampere'" in done.stderr), (2, True))

    def test_steps_can_be_left_out(self):
        done = self.run_it("--gemm", self.path("gemm"), "--skip", "ladder,bench", "--quick", "--name", "Mine")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(self.written()), ["ceilings", "failures", "libgemm_machine", "name"])

    def test_nothing_measured_writes_nothing(self):
        done = self.run_it("--gemm", self.path("no-such-gemm"))
        self.assertEqual(done.returncode, 1)
        self.assertFalse(os.path.exists(self.out))
        self.assertIn("ceilings: " + self.path("no-such-gemm"), done.stderr)

    def test_reports_are_put_together(self):
        done = self.run_it("--merge", *(self.path(name + ".json") for name in ("bench", "ladder", "ceilings", "bench")))
        self.assertEqual(done.returncode, 0, done.stderr)
        machine = self.written()
        self.assertEqual((len(machine["bench"]), len(machine["ladder"])), (2, 1))
        pathlib.Path(self.path("whole.json")).write_text(json.dumps(machine), encoding="utf-8")
        self.assertEqual(self.run_it("--merge", self.path("whole.json")).returncode, 0)
        self.assertEqual(self.written(), machine)
        pathlib.Path(self.path("other.json")).write_text("[]", encoding="utf-8")
        done = self.run_it("--merge", self.path("other.json"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("other.json is no report of gemm ceilings", done.stderr)

    def test_parts_that_are_no_lists_are_refused(self):
        for part in ("null", "3", '{"cases": []}'):
            pathlib.Path(self.path("odd.json")).write_text('{"libgemm_machine": 1, "bench": %s}' % part, encoding="utf-8")
            done = self.run_it("--merge", self.path("odd.json"))
            self.assertEqual((done.returncode, done.stderr),
                             (2, f"machine_report: {self.path('odd.json')} is no report of a machine: its bench is no list\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
