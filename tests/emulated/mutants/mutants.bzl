"""Compiles kernels with one mistake each, made from the sources: what the emulated GPU must catch and name."""

load("//tools/cuda:cuda_kernels.bzl", "cuda_kernels")
load(":ampere.bzl", "AMPERE_KERNELS", "AMPERE_MUTANTS")
load(":anywhere.bzl", "ANYWHERE_KERNELS", "ANYWHERE_MUTANTS")
load(":boxes.bzl", "BOXES_KERNELS", "BOXES_MUTANTS")
load(":classes.bzl", "CLASSES_KERNELS", "CLASSES_MUTANTS")
load(":few.bzl", "FEW_KERNELS", "FEW_MUTANTS")
load(":hopper.bzl", "HOPPER_KERNELS", "HOPPER_MUTANTS")
load(":shared_k.bzl", "SHARED_K_KERNELS", "SHARED_K_MUTANTS")
load(":skinny.bzl", "SKINNY_KERNELS", "SKINNY_MUTANTS")
load(":transposed.bzl", "TRANSPOSED_KERNELS", "TRANSPOSED_MUTANTS")

# A mutant takes 0.9 s of compiling, and another 1.4 s for the headers in front of it (2026-11-22): so many share those.
_MUTANTS_IN_A_FILE = 10

def _specification(m):
    specification = {"source": m.source}
    if m.file:
        specification.update({
            "count": m.count,
            "file": m.file,
            "find": m.find,
            "nth": m.nth,
            "replace": m.replace,
        })
    return specification

def _compile(name, mutants, arch):
    """Makes <mutant>.ptx of each of `mutants`, a dictionary, by one call of the compiler."""
    native.genrule(
        name = name + "_json",
        outs = [name + ".json"],
        cmd = "cat >$@ <<'END_OF_JSON'\n%s\nEND_OF_JSON" % json.encode({
            mutant: _specification(m)
            for mutant, m in mutants.items()
        }).replace("$", "$$"),
    )
    native.genrule(
        name = name + "_source",
        srcs = [
            name + ".json",
            "//ampere:device_sources",
            "//common/base:math_header",
            "//common/device:device_sources",
            "//hopper:device_sources",
        ],
        outs = [name + ".cu"],
        cmd = "$(location mutate.py) $@ $(location %s.json)" % name,
        tools = ["mutate.py"],
    )
    cuda_kernels(
        name = name,
        srcs = [name + ".cu"],
        ptx = [arch],
        sm = [],
        tags = ["manual"],
    )
    native.genrule(
        name = name + "_split",
        srcs = [":%s_ptx" % name],
        outs = [mutant + ".ptx" for mutant in mutants],
        cmd = "$(location split_ptx.py) $< $(OUTS)",
        tools = ["split_ptx.py"],
    )

def mutants(name):
    """Makes each mutant's PTX, `<name>_ptx_files`, and the list <name>.txt of what the test expects of it.

    The first line of the list is their number. Another one: name, file, suite, row, case, multiprocessors, seeds and the names of findings, both separated by |, with tabs between
    them.
    Those without findings are kernels as they are: they must pass.
    """
    all = {}
    for part in [HOPPER_KERNELS, BOXES_KERNELS, TRANSPOSED_KERNELS, SHARED_K_KERNELS, SKINNY_KERNELS, AMPERE_KERNELS, FEW_KERNELS, ANYWHERE_KERNELS, CLASSES_KERNELS, HOPPER_MUTANTS, BOXES_MUTANTS, TRANSPOSED_MUTANTS, SHARED_K_MUTANTS, SKINNY_MUTANTS, AMPERE_MUTANTS, FEW_MUTANTS, ANYWHERE_MUTANTS, CLASSES_MUTANTS]:
        for mutant, m in part.items():
            if mutant in all:
                fail("two mutants are called " + mutant)
            if not m.seeds:
                fail(mutant + " has no seeds")
            all[mutant] = m

    # The kernels as they are have several cases each.
    first_of = {}
    ptx_of = {
        mutant: first_of.setdefault(json.encode([_specification(m), m.arch]), mutant)
        for mutant, m in all.items()
    }
    for arch in ["compute_80", "compute_90a"]:
        of_arch = [mutant for mutant in first_of.values() if all[mutant].arch == arch]
        for first in range(0, len(of_arch), _MUTANTS_IN_A_FILE):
            _compile(
                name = "%s_%s_%d" % (name, arch, first // _MUTANTS_IN_A_FILE),
                mutants = {mutant: all[mutant] for mutant in of_arch[first:first + _MUTANTS_IN_A_FILE]},
                arch = arch,
            )
    native.genrule(
        name = name + "_list",
        outs = [name + ".txt"],
        cmd = "cat >$@ <<'END_OF_LIST'\n%s\nEND_OF_LIST" % "\n".join([str(len(all))] + [
            "\t".join([mutant, ptx_of[mutant] + ".ptx", m.suite, m.row, m.case, str(m.sms), "|".join([str(seed) for seed in m.seeds]), "|".join(m.caught_as)])
            for mutant, m in all.items()
        ]),
    )
    native.filegroup(
        name = name + "_ptx_files",
        srcs = [mutant + ".ptx" for mutant in first_of.values()],
    )
