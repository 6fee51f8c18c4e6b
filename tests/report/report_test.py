#!/usr/bin/env python3
"""gemm report on made-up machines: what is read, what is refused, what is drawn. Where Matplotlib or Jinja2 is not installed,
drawing is left out and a line says so."""
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import struct
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "tools", "report")]
import machines
import made_up
import report

MISSING = [name for name in ("matplotlib", "jinja2") if not importlib.util.find_spec(name)]
PUBLISHED = os.path.join(ROOT, "ladder", "published.json")


class Folder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def write(self, content, name="m.json"):
        path = os.path.join(self.folder, name)
        text = content if isinstance(content, str) else json.dumps(content)
        pathlib.Path(path).write_text(text, encoding="utf-8")
        return path

    def refused(self, content, *words):
        with self.assertRaises(machines.BadInput) as caught:
            machines.load_machine(self.write(content), {})
        for word in words:
            self.assertIn(word, str(caught.exception))


class Reading(Folder):
    def load(self, content):
        return machines.load_machine(self.write(content), {"S0-08": "the write-up's idea"})

    def test_a_whole_machine(self):
        loaded = self.load(made_up.machine())
        self.assertEqual((loaded.name, loaded.device, len(loaded.cases)), ("Made-up", "NVIDIA Made-up 1000", 4))
        self.assertEqual(loaded.roof("bf16").sustained, 830)
        self.assertEqual(loaded.roof("fp32").burst, 64)

    def test_what_a_card_lacks_is_not_its_roof(self):
        loaded = self.load(made_up.machine(ceilings=made_up.ceilings(wgmma=False)))
        self.assertEqual(loaded.roof("fp16").name, "mma_bf16")

    def test_rungs_get_their_part_of_cublas(self):
        rungs = {rung.id: rung for rung in self.load(made_up.machine()).rungs}
        self.assertAlmostEqual(rungs["S0-08"].percent, 90)
        self.assertAlmostEqual(rungs["S0-08"].tflops, 2 * 4096**3 / 3000 * 1e-6)
        self.assertEqual(rungs["S0-08"].idea, "the write-up's idea")
        self.assertEqual(rungs["S0-03"].refused, "m is 4096; 7 is allowed")
        self.assertAlmostEqual(rungs["S0-libgemm"].percent, 108)
        self.assertAlmostEqual(rungs["S0-cublas"].percent, 100)

    def test_rows_asked_for_by_name_are_no_choices(self):
        row = {**made_up.case(512, 512, 512), "kernel": "ampere_bf16_kk_64x64x64_s4"}
        loaded = self.load(made_up.machine(rows=[made_up.bench([row])]))
        self.assertEqual((len(loaded.cases), [machines.backend(case) for case in loaded.rows]), (4, ["ampere"]))
        self.assertEqual(machines.backend(loaded.cases[0]), "")

    def test_each_part_may_be_absent(self):
        for absent in ("ceilings", "bench", "ladder"):
            made = made_up.machine()
            del made[absent]
            self.assertEqual(self.load(made).name, "Made-up")
        del made["bench"], made["ceilings"]
        self.refused(made, "holds nothing")

    def test_a_machine_without_a_name_has_its_devices(self):
        made = made_up.machine()
        del made["name"], made["ceilings"]
        self.assertEqual(self.load(made).name, "Made-up 1000")

    def test_recorded_machines_are_read_and_hold_no_paths(self):
        found = sorted(pathlib.Path(ROOT, "docs", "perf", "machines").glob("*.json"))
        self.assertTrue(found)
        for path in found:
            loaded = machines.load_machine(str(path), {})
            self.assertEqual((loaded.failures, len(loaded.ceilings)), ([], 6))
            self.assertEqual({machines.backend(case) for case in loaded.cases + loaded.rows}, {"hopper", "ampere", "simt"})
            self.assertEqual({rung.system for rung in loaded.rungs}, {"S0", "S1", "S2", "S3", "S4"})
            self.assertNotRegex(path.read_text(encoding="utf-8"), r'[ "(]/[a-z]')

    def test_the_published_figures_are_read(self):
        published = machines.Published(PUBLISHED)
        self.assertEqual(published.machines["rtx5070ti"].gbs, 896)
        self.assertIn("S2-9", published.ideas)


class Refusals(Folder):
    def test_what_is_no_json(self):
        self.refused("{", "m.json is not JSON")
        self.refused("[" * 100000, "m.json is not JSON")
        self.refused("[1]", "not an object")
        with self.assertRaisesRegex(machines.BadInput, "cannot be read"):
            machines.load_machine(os.path.join(self.folder, "none.json"), {})

    def test_another_report(self):
        self.refused(made_up.bench(), "libgemm_machine", "tools/machine_report")

    def test_missing_and_wrong_fields_are_named(self):
        def spoilt(change):
            made = made_up.machine()
            change(made)
            return made

        self.refused(spoilt(lambda m: m["bench"][0]["cases"][1].pop("tflops")), "m.json.bench[0].cases[1].tflops is missing")
        self.refused(spoilt(lambda m: m["bench"][0]["cases"][0].update(m="1")), 'cases[0].m is "1"; a number is wanted')
        self.refused(spoilt(lambda m: m["bench"][0]["cases"][0].update(gbs=0)), "cases[0].gbs is 0; more than 0")
        self.refused(spoilt(lambda m: m["bench"][0].update(cases={})), "bench[0].cases is {}; a list is wanted")
        self.refused(spoilt(lambda m: m["ceilings"]["device"].pop("name")), "ceilings.device.name is missing")
        self.refused(spoilt(lambda m: m["ceilings"]["ceilings"][0].pop("burst")), "ceilings[0] has neither a burst")
        self.refused(spoilt(lambda m: m["ladder"][0]["cases"][0]["entrants"][1].pop("failure")), "S0-03", "neither")
        self.refused(spoilt(lambda m: m.update(bench=[3])), "bench[0] is not an object")

    def test_the_command_says_it_in_one_line(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            code = report.main([self.write("{"), "--out", self.folder])
        self.assertEqual((code, said.getvalue().count("\n")), (2, 1))
        self.assertTrue(said.getvalue().startswith("gemm report: "))


@unittest.skipIf(MISSING, f"not installed: {' and '.join(MISSING)}")
class Drawing(Folder):
    def draw(self, *made):
        paths = [self.write(one, f"{i}.json") for i, one in enumerate(made)]
        out = os.path.join(self.folder, "out")
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(report.main([*paths, "--out", out, "--published", self.published()]), 0)
        return out, pathlib.Path(out, "index.html").read_text(encoding="utf-8")

    def published(self):
        """Of the write-ups, only one: pictures take a second each."""
        whole = json.loads(pathlib.Path(PUBLISHED).read_text(encoding="utf-8"))
        whole["sources"] = {"S0": whole["sources"]["S0"]}
        whole["figures"] = [f for f in whole["figures"] if f["system"] == "S0" and f["type"] == "fp32"]
        return self.write(whole, "published.json")

    def pictures(self, out):
        found = sorted(path.name for path in pathlib.Path(out).glob("*.png"))
        for name in found:
            width, height = struct.unpack(">II", pathlib.Path(out, name).read_bytes()[16:24])
            self.assertGreater(min(width, height), 300, name)
        return found

    def test_two_machines(self):
        other = made_up.machine(name="Other <b>", ceilings=made_up.ceilings("NVIDIA Other", wgmma=False))
        other["bench"][0]["cases"].append({**made_up.case(512, 512, 512, "fp32", tflops=40.0), "layout": "kn"})
        other["failures"] = ["ladder: exit code 3: no GPU"]
        del other["ladder"]
        other["rows"] = [made_up.bench([{**made_up.case(512, 512, 512), "kernel": "ampere_bf16_kk_64x64x64_s4"}])]
        out, page = self.draw(made_up.machine(), other)
        self.assertEqual(self.pictures(out), [
            "ceilings.png", "ladder-s0.png", "machines-bf16.png", "ratio-machines.png", "ratio-made-up.png", "ratio-other-b.png",
            "roofline-made-up.png", "roofline-other-b.png"])
        # The page needs no other file, and nobody's text is markup.
        self.assertEqual(page.count("data:image/png;base64,"), 8)
        self.assertNotIn("http", page)
        self.assertIn("Other &lt;b&gt;", page)
        self.assertIn("ladder: exit code 3: no GPU", page)
        self.assertIn("compute capability 12.0 has no wgmma", page)
        self.assertIn("m is 4096; 7 is allowed", page)
        self.assertIn("45.8 (90%)", page)

    def test_one_machine_of_few_figures_and_the_same_bytes_again(self):
        made = made_up.machine(bench=[made_up.bench([made_up.case(64, 64, 64, ratio=None)])])
        del made["ladder"], made["ceilings"]
        out, page = self.draw(made)
        self.assertEqual(self.pictures(out), ["ladder-s0.png", "roofline-made-up.png"])
        for words in ("No ceilings were measured", "No products of several sizes", "Neither ceilings nor products"):
            self.assertIn(words, page)
        self.assertEqual(self.draw(made)[1], page)


if __name__ == "__main__":
    if MISSING:
        print(f"report_test: not installed: {' and '.join(MISSING)}; nothing is drawn", file=sys.stderr)
    unittest.main(argv=sys.argv[:1], verbosity=2)
