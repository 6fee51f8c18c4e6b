"""joint_test: one test of several files, compiled as one.

Of the 2 s that a small file of tests takes to compile, most goes into what it has in common with its neighbours: what GoogleTest
and the standard library instantiate, headers, linking. The fifteen of tests/emulator/exec take 9 s of CPU together, and 30 s
one by one (2026-11-22).

Each file's unnamed namespace goes into a namespace of the file's name, so that two may have a helper of one name.
"""

load("@rules_cc//cc:defs.bzl", "cc_test")

# In the form that clang-format gives both lines.
_FILE = """\
echo '#line 1 "{package}/{file}"'
sed -e 's|^namespace {{$$|namespace {name} {{ namespace {{|' -e 's|^}}  // namespace$$|}} }}  // namespace|' $(location {file})
"""

def joint_test(name, srcs, deps, **kwargs):
    """Makes the test `name`, a cc_test. `--test_filter` picks some of its tests.

    Args:
      name: of the test; ends in _test, by which .bazelrc knows how to compile it.
      srcs: the .cc files and their headers, of the same package. What one has outside its unnamed namespace no other may have.
      deps: what they need, GoogleTest included.
      **kwargs: further arguments of cc_test.
    """
    files = [src for src in srcs if src.endswith(".cc")]
    native.genrule(
        name = name + "_source",
        testonly = True,
        srcs = files,
        outs = [name + ".cc"],
        cmd = "(\n%s) >$@" % "".join([
            _FILE.format(file = file, name = file.split("/")[-1][:-len(".cc")], package = native.package_name())
            for file in files
        ]),
    )
    cc_test(
        name = name,
        srcs = [name + ".cc"] + [src for src in srcs if src not in files],
        deps = deps,
        **kwargs
    )
