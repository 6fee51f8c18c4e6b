#!/usr/bin/env python3
"""tools/profile with a made-up ncu: how it is called, what is made of its table and of its refusals."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools", "profile")
# Keeps its arguments and writes what the test laid beside it where --log-file says; the profiled program's words go to stdout.
NCU = """#!/bin/sh
here=$(dirname "$0")
printf '%s\\n' "$@" >"$here/arguments"
while [ $# -gt 0 ]; do [ "$1" != --log-file ] || cp "$here/log" "$2"; shift; done
cat "$here/said"
"""
HEADER = ["ID", "Kernel Name", "Block Size", "Grid Size", "gpu__time_duration.sum",
          "sm__throughput.avg.pct_of_peak_sustained_elapsed", "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active",
          "sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_active",
          "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "smsp__sass_inst_executed_op_shared_ld.sum",
          "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
          "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
          "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
          "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio"]
UNITS = ["", "", "", "", "ns"] + [""] * 9


def table(*rows):
    lines = [",".join(f'"{cell}"' for cell in row) for row in (HEADER, UNITS, *rows)]
    return "==PROF== Connected to process 7\n" + "\n".join(lines) + "\n"


PACK = [0, "pack(Params)", "(256, 1, 1)", "(99, 1, 1)", "9,000", 5, 0, 1, 0, 0, 4, 0, 7, 1]
PRODUCT = [1, "row(Params)", "(384, 1, 1)", "(132, 1, 1)", "200,000", 71.25, 63.61, 0.5, "2,000", "1,000", 0, 2.5, 1.25, 1]
ADD = [2, "add(Params)", "(256, 1, 1)", "(64, 1, 1)", "5,000", 5, 0, 1, 0, 0, 4, 0, 7, 1]


class Profile(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        for name, text in (("ncu", NCU), ("gemm", "#!/bin/sh\n")):
            (self.folder / name).write_text(text, encoding="utf-8")
            (self.folder / name).chmod(0o755)

    def run_it(self, *arguments, log=table(PACK, PRODUCT), said=""):
        (self.folder / "log").write_text(log, encoding="utf-8")
        (self.folder / "said").write_text(said, encoding="utf-8")
        command = [sys.executable, PROGRAM, *arguments, "--ncu", str(self.folder / "ncu"), "--gemm", str(self.folder / "gemm")]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def passed(self):
        return (self.folder / "arguments").read_text(encoding="utf-8").split("\n")

    def test_both_kernels_of_a_plan_are_described(self):
        done = self.run_it("row", "--m", "4096", "--type", "bf16")
        self.assertEqual(done.returncode, 0, done.stderr)
        pack, product = done.stdout.split("\n\n")
        self.assertIn("kernel          pack\n", pack)
        self.assertNotIn("FLOP/s", pack)
        for words in ("time            200.00 us, 687.2 TFLOP/s", "SM              71.2% of", "63.6% (tensor_op_hmma)",
                      "0.5% (fmaheavy)", "shared loads 2,000 (2.00 an instruction), stores -, cp.async -", "global loads none",
                      "stalls          barrier 2.50, long scoreboard 1.25 cycles"):
            self.assertIn(words, product)
        command = self.passed()
        self.assertEqual(command[command.index(str(self.folder / "gemm")) + 1 :][:8],
                         ["run", "--on", "gpu", "--verify", "none", "--kernel", "row", "--m"])
        self.assertIn("--clock-control", command)

    def test_the_longest_plan_is_described(self):
        done = self.run_it("row", log=table(PACK, PRODUCT, ADD))
        self.assertEqual([part.split("\n")[0].split()[1] for part in done.stdout.split("\n\n")], ["pack", "row", "add"])
        command = self.passed()
        self.assertEqual(command[command.index("--launch-count") + 1], "3")

    def test_a_rung_is_run_by_the_ladder_without_libgemms_kernels(self):
        done = self.run_it("S0-08", "--m=2048", "--type", "fp32", log=table(PRODUCT))
        self.assertIn("343.6 TFLOP/s", done.stdout)
        command = self.passed()
        at = command.index("ladder")
        self.assertEqual(command[at + 1 : at + 5], ["--rungs", "S0-08", "--sizes", "2048x4096x4096"])
        self.assertIn("regex:^(?!hopper_|ampere_|Simt)", command)

    def test_what_was_kept_is_printed_again(self):
        kept = str(self.folder / "kept.csv")
        first = self.run_it("row", "--save", kept).stdout
        self.assertEqual(self.run_it("--from", kept).stdout, first)

    def test_recorded_tables_are_understood(self):
        def lines(kernel, *flags):
            done = self.run_it("--from", os.path.join(HERE, "recorded", f"ncu_h200_{kernel}.csv"), *flags)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn(" -", done.stdout)
            return {line[:16].strip(): line[16:] for line in done.stdout.splitlines()}

        hopper, ampere = lines("hopper"), lines("ampere")
        self.assertEqual(hopper["kernel"], "hopper_bf16_kk_128x256x64_s4_c2x1")
        self.assertEqual(hopper["time"], "181.86 us, 755.8 TFLOP/s")
        self.assertEqual(hopper["tensor pipe"], "85.2% (tensor)")
        # Of stmatrix and of ldmatrix: the counters of plain loads and stores do not have them.
        self.assertEqual(hopper["bank conflicts"], "shared loads none, stores 99,825 (1.52 an instruction), cp.async none")
        self.assertIn("loads 526,173 (0.06 an instruction)", ampere["bank conflicts"])
        self.assertEqual(ampere["sectors/request"], "global loads 16.00, stores 16.00")
        simt = lines("simt", "--m", "2048", "--n", "2048", "--k", "2048")
        self.assertEqual(simt["FMA pipe"], "69.9% (fma)")
        self.assertTrue(simt["stalls"].startswith("not selected 1.81, short scoreboard 0.41"))

    def refused(self, code, words, *arguments, **how):
        done = self.run_it(*arguments, **how)
        self.assertEqual((done.returncode, done.stdout), (code, ""))
        self.assertTrue(done.stderr.startswith("profile: "))
        self.assertIn(words, done.stderr)

    def test_refusals_are_sentences(self):
        self.refused(3, "may not read the GPU's counters", "row", log="==ERROR== ERR_NVGPUCTRPERM - The user\n")
        self.refused(3, "ncu: Failed to connect", "row", log="==ERROR== Failed to connect\n")
        self.refused(2, "gemm: kernel 'row' is unknown", "row", log="", said="gemm: kernel 'row' is unknown\n")
        self.refused(2, "no kernel was profiled", "row", log="==WARNING== No kernels were profiled.\n")
        self.refused(2, "no launch", "row", log=table())
        self.refused(2, "is no table of ncu", "row", log="hello\n")
        self.refused(2, "--m is 'x'", "row", "--m", "x")
        self.refused(2, "a second kernel", "row", "column")
        self.refused(2, "no kernel is named")
        self.refused(2, "cannot be read", "--from", "/no/such/file")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
