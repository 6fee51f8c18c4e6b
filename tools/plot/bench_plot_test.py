#!/usr/bin/env python3
"""What bench_plot.py makes of made-up reports. Where matplotlib is not installed, what it draws is left out."""
import importlib.util
import json
import os
import pathlib
import sys
import tempfile
import unittest
from xml.dom import minidom

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench_plot


def case(m, n, k, ratio, **more):
    made = {"layout": "nk", "m": m, "n": n, "k": k, "batch": 1, "in": "bf16", "out": "bf16"}
    made.update({"us": 10.0, "tflops": 2e-7 * m * n * k}, **more)
    if ratio is not None:
        made["ratio"] = ratio
    return made


def report(cases, **more):
    made = {"device": "NVIDIA H200, 132 SMs", "date": "2026-11-22T10:00:00Z", "cases": cases}
    made.update(more)
    return made


FAILED = {name: value for name, value in case(1, 8, 8, None, failure="x").items() if name not in ("us", "tflops")}
PLAIN = report([case(1, 64, 64, 2.0), case(1, 32, 64, 0.5), case(16, 64, 64, 1.5), FAILED])
CHAINED = report([case(1, 64, 64, 3.0)], edges="programmatic", constant_b=True)


class Lines(unittest.TestCase):
    def test_means_are_geometric_with_their_range(self):
        (line,) = bench_plot.make_lines([PLAIN], "means")
        self.assertEqual([point[0] for point in line.points], [1, 16])
        mean, low, high = line.points[0][1]
        self.assertAlmostEqual(mean, 1.0)
        self.assertEqual((low, high), (0.5, 2.0))
        self.assertAlmostEqual(line.points[1][3][0], line.points[1][2][0] / 1.5)

    def test_kinds_of_edges_are_lines_of_their_own(self):
        labels = [line.label for line in bench_plot.make_lines([PLAIN, CHAINED], "means")]
        self.assertEqual(labels, ["plain edges", "programmatic edges, B constant"])

    def test_weights_of_one_m_are_no_line(self):
        (line,) = bench_plot.make_lines([PLAIN, CHAINED], "weights")
        self.assertEqual(line.label, "plain edges, 64 x 64")

    def test_without_a_rival_there_is_no_ratio(self):
        (line,) = bench_plot.make_lines([report([case(1, 64, 64, None)])], "means")
        self.assertIsNone(line.points[0][1])
        self.assertIsNone(line.points[0][3])

    def test_the_title_says_what_is_the_same_everywhere(self):
        self.assertEqual(bench_plot.common_text([PLAIN]), "NVIDIA H200, nk, bf16, plain edges, 2026-11-22")
        self.assertEqual(bench_plot.common_text([PLAIN, CHAINED]), "NVIDIA H200, nk, bf16, 2026-11-22")


class Refusals(unittest.TestCase):
    def test_what_is_no_report_is_a_sentence(self):
        for text, words in (("{", "is not JSON: "), ("[]", "is no report of gemm bench"), ("{}", "is no report of gemm bench"),
                            (json.dumps(report([{"layout": "nk"}])), "is no report of gemm bench")):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "foreign.json")
                pathlib.Path(path).write_text(text, encoding="utf-8")
                with self.assertRaises(SystemExit) as refused:
                    bench_plot.main([path, "--out", os.path.join(folder, "p")])
                self.assertIn(f": {path} {words}", str(refused.exception.code))
        with self.assertRaises(SystemExit) as refused:
            bench_plot.main(["/no/such.json", "--out", "p"])
        self.assertIn("/no/such.json cannot be read: No such file", str(refused.exception.code))


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib")
class Drawing(unittest.TestCase):
    def draw(self, reports, *more):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for i, one in enumerate(reports):
                paths.append(os.path.join(folder, f"{i}.json"))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    json.dump(one, file)
            bench_plot.main([*paths, "--out", os.path.join(folder, "plots", "p"), *more])
            return [pathlib.Path(folder, "plots", f"p-{theme}.svg").read_bytes() for theme in ("light", "dark")]

    def test_both_backgrounds_get_the_same_words(self):
        for svg in self.draw([PLAIN, CHAINED]):
            texts = " ".join(node.toxml() for node in minidom.parseString(svg).getElementsByTagName("text"))
            for words in ("TFLOP/s", "NVIDIA H200", "programmatic edges, B constant", "M (rows"):
                self.assertIn(words, texts)

    def test_the_same_report_gives_the_same_bytes(self):
        self.assertEqual(self.draw([PLAIN]), self.draw([PLAIN]))

    def test_without_a_rival_the_speed_is_drawn(self):
        self.assertIn(b"TFLOP/s", self.draw([report([case(1, 64, 64, None), case(2, 64, 64, None)])])[0])

    def test_a_report_of_nothing_is_refused(self):
        with self.assertRaises(SystemExit):
            self.draw([report([])])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
