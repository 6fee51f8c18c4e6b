"""One mistake in a kernel, or none."""

# 0: everything at once, in order. 1: everything as late as it may be. Others: mixed.
_SEEDS = [0, 1, 2]

# Odd seeds start programmatic dependents early (tools/emulator/driver/README.md). At these the second of a suite's two kernels is then
# ahead of the first; at 1 and 5 it is not. Where that is so moves with the kernels' code.
SEEDS_WITH_EARLY_STARTS = [3, 7, 11]

def mutant(source, suite, row, case, arch, file, find, replace, caught_as, sms = 2, nth = 1, count = 1, seeds = _SEEDS):
    """A kernel in which `replace` stands for the `nth` of `count` places of `find` in `file`; as it is where `file` is None.

    `source` instantiates it, one row of a backend's table, as PTX for `arch`; //tests:<suite>_test runs it by the name `row` on `case`
    and a device of `sms` multiprocessors: 2 are one cluster's, so that each CTA computes several tiles of a small product. The
    report must call the mistake one of the words of `caught_as`: FindingKind's, or "wrong result" where the kernel is in order
    but for what it computes. It must do so at each of `seeds`.
    """
    return struct(
        arch = arch,
        case = case,
        caught_as = caught_as,
        count = count,
        file = file,
        find = find,
        nth = nth,
        replace = replace,
        row = row,
        seeds = seeds,
        sms = sms,
        source = source,
        suite = suite,
    )

def hopper_mutant(source, row, case, sms, mistake, seeds = _SEEDS):
    """A mutant of one Hopper kernel by one case; `mistake`: file, find, replace, caught_as."""
    file, find, replace, caught_as = mistake
    return mutant(
        source = source,
        suite = "hopper",
        row = row,
        case = case,
        arch = "compute_90a",
        file = file,
        find = find,
        replace = replace,
        caught_as = caught_as,
        sms = sms,
        seeds = seeds,
    )
