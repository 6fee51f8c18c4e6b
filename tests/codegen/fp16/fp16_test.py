#!/usr/bin/env python3
"""usage: fp16_test.py FILE.ptx...

FP16 kernels made of the PTX of those for BF16 (*_derived) are what FP16's own compile to (*_fp16).
"""
import itertools
import os
import re
import sys

# NVRTC leaves the constants of kernels' classes in a file, the type among them. What is derived has BF16's.
VARIABLE = re.compile(r"^\s*\.global [^;]*?(\w+)(?:\[\d+\])?(?: = [^;]*)?;\n", re.MULTILINE)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def failures_of(compiled, derived):
    kernels = VARIABLE.sub("", compiled)
    if "_fp16_" not in kernels or ".f32.f16.f16" not in kernels:
        yield "no kernel for FP16"
    pairs = itertools.zip_longest(kernels.splitlines(), VARIABLE.sub("", derived).splitlines())
    yield from (f"{one!r} is derived as {other!r}" for one, other in itertools.islice((p for p in pairs if p[0] != p[1]), 1))
    words = set(re.findall(r"\w+", kernels))
    yield from (f"a kernel reads {name}" for name in VARIABLE.findall(compiled) if name in words)


def main(paths):
    files = {os.path.basename(path): path for path in paths}
    compiled = [name for name in files if "_fp16." in name]
    failures = 0
    for name in compiled:
        derived = files[name.replace("_fp16.", "_derived.")]
        for failure in failures_of(read(files[name]), read(derived)):
            failures += 1
            print(f"{name}: {failure}")
    return 1 if failures or len(compiled) != 2 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
