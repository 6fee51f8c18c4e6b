#!/usr/bin/env python3
"""What table.py makes of a document and a made-up report; and that docs/ladder.md is what its own command makes."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import table

PUBLISHED = {
    "machines": {"card": {"name": "A card"}},
    "figures": [
        {"id": "S0-01", "rung": "01", "idea": "naive", "type": "fp32", "m": 4096, "tflops": 2.0, "percent_of_cublas": 6.5, "machine": "card"},
        {"id": "S2-1", "rung": "1", "idea": "coalesced", "type": "fp32", "m": 8192, "tflops": 4.2, "percent_of_cublas": None, "machine": "card"},
        {"id": "S0-cublas", "rung": "cublas", "idea": "cuBLAS", "type": "fp32", "m": 4096, "tflops": 31.0, "percent_of_cublas": 100, "machine": "card"},
    ],
}


def report(size, **times):
    entrants = [{"side": "rival", "name": "heuristic 0", "median_us": 10.0}, {"side": "ours", "name": "simt", "median_us": 9.0}]
    entrants += [{"side": "rung", "name": name.replace("_", "-"), "config": "an idea", "median_us": us} for name, us in times.items()]
    case = {"layout": "kn", "m": size, "n": size, "k": size, "in": "fp32", "out": "fp32", "entrants": entrants}
    return {"cases": [case]}


class Table(unittest.TestCase):
    def fill(self, marker, *reports):
        return table.fill(f"before\n<!-- {marker} -->\nold\n<!-- end -->\nafter\n", PUBLISHED, reports)

    def test_what_is_not_measured_is_pending(self):
        text = self.fill("ladder fp32 4096")
        self.assertIn("| S0-01 | naive | 2 | 6.5 | A card | pending |  |", text)
        self.assertIn("| S2-1 | coalesced | 4.2 at 8192 |  | A card | pending |  |", text)
        self.assertNotIn("old", text)
        self.assertNotIn("cublas |", text)
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))

    def test_what_is_measured_stands_beside_the_figure(self):
        text = self.fill("ladder fp32 4096", report(4096, S0_01=100.0), report(4096, S0_01=50.0, S2_10=20.0))
        self.assertIn(f"| S0-01 | naive | 2 | 6.5 | A card | {2e-6 * 4096**3 / 50:.4g} | 20 |", text)
        self.assertIn("| S2-10 | an idea | | | |", text)
        self.assertIn("| libgemm | simt | | | |", text)
        self.assertIn(f"| cuBLAS's best |  | | | | {2e-6 * 4096**3 / 10:.4g} | 100 |", text)

    def test_another_size_has_the_rungs_published_there(self):
        text = self.fill("ladder fp32 8192", report(4096, S0_01=100.0))
        self.assertIn("| S2-1 | coalesced | 4.2 |", text)
        self.assertNotIn("S0-01", text)

    def test_sweeps_are_apart(self):
        text = self.fill("sweeps fp32 4096", report(4096, S0_01=100.0, S0_01_x=40.0))
        self.assertIn("| S0-01-x | an idea |", text)
        self.assertNotIn("| S0-01 |", text)

    def test_a_machines_report_gives_its_ladders(self):
        one = report(4096, S0_01=100.0)
        self.assertEqual(table.ladders_of(one), [one])
        self.assertEqual(table.ladders_of({"libgemm_machine": 1, "bench": [{}], "ladder": [one, one]}), [one, one])
        self.assertEqual(table.ladders_of({"libgemm_machine": 1, "bench": [{}]}), [])

    def test_filling_twice_changes_nothing(self):
        once = self.fill("ladder fp32 4096", report(4096, S0_01=100.0))
        self.assertEqual(once, table.fill(once, PUBLISHED, [report(4096, S0_01=100.0)]))

    def test_a_document_without_markers_is_refused(self):
        with self.assertRaises(ValueError):
            table.fill("nothing", PUBLISHED, [])

    def test_the_page_has_what_was_recorded(self):
        root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        with tempfile.TemporaryDirectory() as folder:
            for name in ("docs/ladder.md", "docs/perf/ladder", "docs/perf/machines", "ladder/table.py", "ladder/published.json"):
                source, copy = os.path.join(root, name), os.path.join(folder, name)
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                (shutil.copytree if os.path.isdir(source) else shutil.copyfile)(source, copy)
            page = os.path.join(folder, "docs", "ladder.md")
            with open(page, encoding="utf-8") as file:
                before = file.read()
            command = re.search(r"```\n(cd docs/perf/ladder\n.*?)```", before, re.DOTALL).group(1)
            command = command.replace("../../../ladder/table.py", f"{sys.executable} ../../../ladder/table.py")
            subprocess.run(["bash", "-ec", command], cwd=folder, check=True)
            with open(page, encoding="utf-8") as file:
                self.assertEqual(file.read(), before)


if __name__ == "__main__":
    unittest.main()
