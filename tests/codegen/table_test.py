#!/usr/bin/env python3
"""What table.py makes of a log."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import table

LOG = """[ RUN      ] Codegen.NothingSpillsAndPtxasHasNoComplaint
two                                              sm_90a  168 registers
one                                              sm_90a   96 registers
one                                              sm_80    95 registers
[       OK ] Codegen.NothingSpillsAndPtxasHasNoComplaint (0 ms)
one                                               53120 bytes, 544 FFMA
one                                               55168 bytes, 544 FFMA
two                                               82816 bytes,  36 HGMMA
"""


class Table(unittest.TestCase):
    def test_kernels_are_sorted_and_what_is_alike_stands_once(self):
        self.assertEqual(
            list(table.table(table.read(LOG.splitlines()))),
            [
                "| one | 95 (sm_80), 96 (sm_90a) | 53120, 55168 | 544 FFMA |\n",
                "| two | 168 (sm_90a) | 82816 | 36 HGMMA |\n",
            ],
        )

    def test_a_log_cut_short_is_refused(self):
        with self.assertRaisesRegex(ValueError, "two: .*not both"):
            list(table.table(table.read(LOG.splitlines()[:-1])))

    def test_the_log_of_a_failed_test_is_refused(self):
        with self.assertRaisesRegex(ValueError, "FAILED.*NothingSpills"):
            table.read(LOG.replace("[       OK ]", "[  FAILED  ]").splitlines())


if __name__ == "__main__":
    unittest.main()
