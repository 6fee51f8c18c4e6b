#!/usr/bin/env python3
"""usage: mutate.py OUTPUT.cu MUTANTS.json

Writes one self-contained .cu of several mutants: for each, in a namespace of its name, the sources of a kernel with their
own includes pulled in and one place changed. split_ptx.py takes apart what the compiler makes of it.

MUTANTS.json: of each name {"source": the text that instantiates one kernel, "file": the file that is changed, "find": the
text to replace, which must occur in the file exactly once, or "count" times of which number "nth" (from 1) is replaced,
"replace": what comes instead}. Paths are relative to the workspace, where the script runs. With no "file" nothing is
changed.
"""
import json
import os
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"[^\n]*$', re.MULTILINE)
GLOBAL_GEMM = re.compile(r"(?<!\w)::gemm\b")
INCLUDE_OF_OTHERS = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<[^>]+>[^\n]*$", re.MULTILINE)


def mutated(mutant, text):
    find, nth, count = mutant["find"], mutant.get("nth", 1), mutant.get("count", 1)
    if text.count(find) != count:
        sys.exit(f"mutate.py: {mutant['file']} has {text.count(find)} times, and not {count}: {find!r}")
    at = -1
    for _ in range(nth):
        at = text.index(find, at + 1)
    return text[:at] + mutant["replace"] + text[at + len(find) :]


def inlined(mutant, text, folder, done):
    def include(match):
        path = match.group(1)
        if not os.path.exists(path):
            path = os.path.join(folder, match.group(1))
        with open(path, encoding="utf-8") as file:
            content = file.read()
        if path == mutant.get("file"):
            content = mutated(mutant, content)
            done["mutated"] = True
        if "#pragma once" in content:
            if path in done["once"]:
                return ""
            done["once"].add(path)
            content = content.replace("#pragma once", "", 1)
        return f"// {path}\n" + inlined(mutant, content, os.path.dirname(path), done)

    return INCLUDE.sub(include, text)


def in_namespace(name, mutant, includes):
    done = {"once": set(), "mutated": False}
    text = inlined(mutant, mutant["source"], ".", done)
    if mutant.get("file") and not done["mutated"]:
        sys.exit(f"mutate.py: {name}: the kernel does not include {mutant['file']}")
    includes.update(INCLUDE_OF_OTHERS.findall(text))
    text = INCLUDE_OF_OTHERS.sub("", text)
    text = GLOBAL_GEMM.sub("gemm", text)
    # A C name would be the same in every namespace.
    text = text.replace('extern "C" __global__', "__global__")
    return f"namespace {name} {{\n{text}\n}}  // namespace {name}\n"


def main(output, specification):
    with open(specification, encoding="utf-8") as file:
        mutants = json.load(file)
    includes = set()
    texts = [in_namespace(name, mutant, includes) for name, mutant in mutants.items()]
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(sorted(includes) + texts))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
