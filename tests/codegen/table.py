#!/usr/bin/env python3
"""usage: table.py LOG... > docs/perf/codegen.md

Writes docs/perf/codegen.md from what the tests beside it print: the logs of hopper_codegen_test, hopper_pack_codegen_test,
hopper_parts_codegen_test, ampere_codegen_test, ampere_gemv_codegen_test and simt_codegen_test (bazel-testlogs/tests/codegen/NAME/test.log).
"""
import datetime
import re
import sys
from collections import defaultdict

PAGE = """# Registers and bytes of each kernel

Compiled by CUDA 13.0, {date}, as `//tests/codegen/...` prints them; `tests/codegen/table.py` made this page of
the logs of hopper_codegen_test, hopper_pack_codegen_test, hopper_parts_codegen_test, ampere_codegen_test, ampere_gemv_codegen_test and simt_codegen_test. No kernel has a stack or spills, and ptxas warns of none. Registers are those at entry: the
Hopper kernels then move them between warpgroups, 40 for the producer and 232 for each of two consumers (32 and 160 with three; a
single one keeps what it has). Bytes are those of the machine code, for each architecture that a kernel is built for.

| kernel | registers | bytes of code | matrix, FMA or load instructions |
|---|---|---|---|
"""


class Kernel:
    def __init__(self):
        self.registers = []  # "168 (sm_90a)"
        self.bytes = []
        self.instructions = []


def read(lines):
    """Kernels by name; what several lines say alike is kept once. A test that failed is refused: the page says that none did."""
    kernels = defaultdict(Kernel)

    def add(values, value):
        if value not in values:
            values.append(value)

    for line in lines:
        if line.startswith("[  FAILED  ]"):
            raise ValueError(line)
        if match := re.match(r"(\w+)\s+(sm_\w+)\s+(\d+) registers$", line):
            add(kernels[match[1]].registers, f"{match[3]} ({match[2]})")
        elif match := re.match(r"(\w+)\s+(\d+) bytes,\s+(\d+ [A-Z]+)$", line):
            add(kernels[match[1]].bytes, match[2])
            add(kernels[match[1]].instructions, match[3])
    return kernels


def table(kernels):
    for name in sorted(kernels):
        kernel = kernels[name]
        if not (kernel.registers and kernel.bytes):
            raise ValueError(f"{name}: the logs have its registers or its bytes, not both")
        registers = sorted(kernel.registers, key=lambda text: text.split("(")[1])
        yield f"| {name} | {', '.join(registers)} | {', '.join(kernel.bytes)} | {', '.join(kernel.instructions)} |\n"


def main():
    logs = sys.argv[1:]
    if not logs or any(log.startswith("-") for log in logs):
        sys.exit(__doc__)
    lines = []
    for log in logs:
        with open(log, encoding="utf-8") as file:
            lines += file.read().splitlines()
    sys.stdout.write(PAGE.format(date=datetime.date.today()) + "".join(table(read(lines))))


if __name__ == "__main__":
    main()
