#!/usr/bin/env python3
"""usage: split_ptx.py MUTANTS.ptx OUTPUT.ptx...

Takes apart the PTX of what mutate.py wrote: into each output, <name of a mutant>.ptx, goes the kernel of the namespace of
that name, called as in the sources, with what it declares.
"""
import os
import re
import sys

# Up to here goes into each.
END_OF_HEAD = re.compile(r"^\.address_size .*\n", re.MULTILINE)
BRACE_OR_END = re.compile(r"\{|\};?|;")


def items(text):
    """The declarations and kernels of a PTX file, each with its comments."""
    depth, begin = 0, 0
    for match in BRACE_OR_END.finditer(text):
        depth += {"{": 1, "}": -1, ";": 0}[match.group()[0]]
        if depth == 0:
            yield text[begin : match.end()]
            begin = match.end()


def of_mutant(name, head, parts):
    mangled = f"{len(name)}{name}"
    own = "".join(part for part in parts if mangled in part)
    kernels = re.findall(rf"\.entry (_ZN{mangled}(\d+)(\w+))\(", own)
    if len(kernels) != 1:
        sys.exit(f"split_ptx.py: {name} has {len(kernels)} kernels, and not 1")
    whole, length, kernel = kernels[0]
    return head + own.replace(whole, kernel[: int(length)]) + "\n"


def main(source, outputs):
    with open(source, encoding="utf-8") as file:
        text = file.read()
    end = END_OF_HEAD.search(text).end()
    parts = list(items(text[end:]))
    names = [os.path.basename(output)[: -len(".ptx")] for output in outputs]
    for part in parts:
        if not any(f"{len(name)}{name}" in part for name in names):
            sys.exit(f"split_ptx.py: of no mutant: {part.strip()[:200]}")
    for name, output in zip(names, outputs):
        with open(output, "w", encoding="utf-8") as file:
            file.write(of_mutant(name, text[:end], parts))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
