#!/usr/bin/env python3
"""What products.py lists."""
import contextlib
import io
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import products


def run(*arguments):
    """Standard output and the exit status."""
    out = io.StringIO()
    sys.argv = ["products.py", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            products.main()
    except SystemExit as end:
        return out.getvalue(), end.code
    return out.getvalue(), 0


class Products(unittest.TestCase):
    def test_weights_are_of_ranks_and_start_at_16_bytes(self):
        weights = products.weights(128)
        self.assertIn((28672 * 2 // 8, 12288), weights)  # Mistral-Large, gate and up of one of 8 ranks
        self.assertIn((5120, 27648 // 2), weights)  # Qwen2.5-32B, down of one of 2
        for n, k in weights:
            self.assertGreaterEqual(min(n, k), 128)
            self.assertEqual((n % 8, k % 8), (0, 0))

    def test_a_seed_gives_one_list(self):
        first, _ = run("50", "--seed", "3")
        self.assertEqual(len(set(first.splitlines())), 50)
        self.assertEqual(run("50", "--seed", "3")[0], first)
        self.assertNotEqual(run("50", "--seed", "4")[0], first)

    def test_bounds_hold(self):
        out, _ = run("80", "--layout", "kn", "--least", "9", "--most", "300", "--least-flop", "1e8", "--most-flop", "1e10",
                     "--least-extent", "3000")
        self.assertEqual(len(out.splitlines()), 80)
        for line in out.splitlines():
            layout, *sizes = line.split()
            m, n, k = map(int, sizes)
            self.assertEqual(layout, "kn")
            self.assertTrue(9 <= m <= 300 and 1e8 <= 2 * m * n * k <= 1e10 and min(n, k) >= 3000)

    def test_listed_weights_are_left_out(self):
        first, _ = run("50", "--seed", "3")
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as shapes:
            shapes.write("# weights\n" + first.replace("nk", "kn"))
            shapes.flush()
            others, _ = run("50", "--seed", "3", "--except", shapes.name)
        self.assertEqual(len(set(others.splitlines())), 50)
        of = lambda lines: {tuple(line.split()[2:]) for line in lines.splitlines()}
        self.assertFalse(of(first) & of(others))

    def test_what_cannot_be_is_refused(self):
        self.assertNotEqual(run("0")[1], 0)
        self.assertNotEqual(run("5", "--least", "20", "--most", "10")[1], 0)
        out, status = run("5", "--most-flop", "10")
        self.assertIn("but 0", status)
        self.assertEqual(out, "")
        self.assertIn("but 0", run("5", "--least-extent", "100000")[1])


if __name__ == "__main__":
    unittest.main()
