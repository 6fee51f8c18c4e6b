#!/usr/bin/env python3
"""What sweep_plot.py makes of made-up reports. Where matplotlib is not installed, what it draws is left out."""
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
import sweep_plot

TIMES = {
    "64x64x32_t8x8_w1x2x4_s3_c2_rows": 8.0,
    "64x64x16_t8x8_w1x2x4_s3_c2_rows": 10.0,
    "64x64x32_t8x8_w1x2x4_s2_c2_rows": 9.0,
    "64x64x32_t8x8_w1x2x4_s2_c2_rows_p4": 7.0,
    "32x64x16_t4x4_w1x4x1_s3_c8_columns": 16.0,
}


def report(times, layout="nk", m=512):
    entrants = [{"side": "shape", "name": name, "median_us": us} for name, us in times.items()]
    entrants += [
        {"side": "shape", "name": "128x64x16_t8x8_w2x2x1_s3_c4_rows", "failure": "spills"},
        {"side": "ours", "name": "simt_fp32_kk", "median_us": 11.0},
        {"side": "rival", "name": "heuristic 0", "median_us": 12.0},
        {"side": "rival default", "name": "default", "median_us": 13.0},
    ]
    case = {"layout": layout, "m": m, "n": 512, "k": 512, "batch": 1, "entrants": entrants}
    return {"device": "NVIDIA H200, 132 SMs", "date": "2026-11-22T10:00:00Z", "cases": [case]}


class Products(unittest.TestCase):
    def test_reports_of_one_product_are_put_together(self):
        names = list(TIMES)
        parts = [report({name: TIMES[name]}) for name in names] + [report(TIMES, layout="kn", m=128)]
        first, second = sweep_plot.products_of(parts)
        self.assertEqual((first.label, second.label), ("nk 512³", "kn 128x512x512"))
        self.assertEqual([kernel.name for kernel in first.kernels], names)
        self.assertAlmostEqual(first.rival, 2 * 512**3 / 12.0 * 1e-6)
        self.assertAlmostEqual(first.ours, 2 * 512**3 / 11.0 * 1e-6)

    def test_a_cell_is_the_fastest_of_its_kind(self):
        (product,) = sweep_plot.products_of([report(TIMES)])
        cells = sweep_plot.cells_of(product, "shape")
        self.assertEqual(
            {(row[1], column[2], column[1]): kernel.name for (row, column), kernel in cells.items()},
            {
                ("64x64", "8x8", 4): "64x64x32_t8x8_w1x2x4_s2_c2_rows_p4",
                ("32x64", "4x4", 1): "32x64x16_t4x4_w1x4x1_s3_c8_columns",
            },
        )

    def test_rings_are_drawn_of_blocks_with_several(self):
        (product,) = sweep_plot.products_of([report(TIMES)])
        cells = sweep_plot.cells_of(product, "ring")
        self.assertEqual(sorted(ring for _, ring in cells), [(16, 3), (32, 2), (32, 3)])

    def test_another_name_is_refused(self):
        with self.assertRaises(SystemExit):
            sweep_plot.products_of([report({"S0-08": 1.0})])


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib")
class Drawing(unittest.TestCase):
    def draw(self, reports, *more):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for i, one in enumerate(reports):
                paths.append(os.path.join(folder, f"{i}.json"))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    json.dump(one, file)
            sweep_plot.main([*paths, "--out", os.path.join(folder, "plots", "p"), *more])
            return [pathlib.Path(folder, "plots", f"p-{theme}.svg").read_bytes() for theme in ("light", "dark")]

    def test_both_backgrounds_get_the_same_words(self):
        for by in ("shape", "ring"):
            for svg in self.draw([report(TIMES), report(TIMES, layout="kn")], "--by", by):
                texts = " ".join(node.toxml() for node in minidom.parseString(svg).getElementsByTagName("text"))
                for words in ("TFLOP/s", "NVIDIA H200", "nk 512", "cuBLASLt 22.4", "_p4"):
                    self.assertIn(words, texts)

    def test_the_same_report_gives_the_same_bytes(self):
        self.assertEqual(self.draw([report(TIMES)]), self.draw([report(TIMES)]))

    def test_a_report_of_nothing_is_refused(self):
        with self.assertRaises(SystemExit):
            self.draw([report({})])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
