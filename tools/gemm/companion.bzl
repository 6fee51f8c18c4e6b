"""companion_test: the test of a program that the command `gemm` starts."""

def companion_test(name, src, program):
    """Runs a script that begins with `source tools/gemm/companion_test.sh`.

    Args:
      name: of the test.
      src: the script.
      program: the label of what `gemm` starts.
    """
    native.sh_test(
        name = name,
        size = "medium",
        srcs = [src],
        args = [
            "$(location //tools/gemm)",
            "$(location %s)" % program,
            "$(location //tools/emulator/driver:libcuda.so.1)",
        ],
        data = [
            program,
            "//tools/emulator/driver:libcuda.so.1",
            "//tools/gemm",
            "//tools/gemm:companion_test.sh",
        ],
        tags = ["noasan"],
    )
