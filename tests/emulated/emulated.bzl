"""Tests that need a GPU, run on the emulated one."""

def emulated_test(name, program, profile = "h200", seed = 0, env = {}, data = [], size = "large", args = [], tags = [], shards = None):
    """Runs a test binary on the emulated GPU.

    Args:
      name: of the test.
      program: the binary's label: a test that is skipped where there is no GPU.
      profile: GPU_EMULATOR_PROFILE.
      seed: GPU_EMULATOR_SEED.
      env: further variables; $(location) works.
      data: what they refer to.
      size: as everywhere.
      args: of the program.
      tags: as everywhere.
      shards: tests that its cases are shared out to, which then run side by side.
    """
    variables = {
        "GPU_EMULATOR_PROFILE": profile,
        "GPU_EMULATOR_SEED": str(seed),
    }
    variables.update(env)
    native.sh_test(
        name = name,
        size = size,
        srcs = ["//tests/emulated:run_emulated.sh"],
        shard_count = shards,
        args = (["$(location //tools/emulator/driver:libcuda.so.1)"] +
                ["'%s=%s'" % item for item in variables.items()] +
                ["$(location %s)" % program] + args),
        data = data + [
            program,
            "//tools/emulator/driver:libcuda.so.1",
        ],
        # The emulator watches the kernels more closely than a sanitizer of host code, and would run a tenth as fast under one.
        tags = tags + ["noasan"],
    )

def emulated_suite(name, program, cases, rows, every_row = False, runs = 2, sms = 0, profile = "h200", seed = 0, size = "large"):
    """The suite of a backend on the emulated GPU, on cases and rows of its own.

    Args:
      name: of the test.
      program: the suite's binary.
      cases: the file that has the cases.
      rows: GEMM_ROW, the rows that run them.
      every_row: whether each of the rows must accept enough of the cases to be called tested.
      runs: of each product, 1 or 2.
      sms: multiprocessors, where they are to be fewer than the profile's.
      profile: GPU_EMULATOR_PROFILE.
      seed: GPU_EMULATOR_SEED.
      size: as everywhere.
    """
    env = {
        "GEMM_CASES": "$(location %s)" % cases,
        "GEMM_GUARD": "exact",
        "GEMM_RANDOM": "0",
        "GEMM_ROW": rows,
    }
    if every_row:
        env["GEMM_EVERY_ROW"] = "1"
    if runs == 1:
        env["GEMM_ONCE"] = "1"
    if sms:
        env["GPU_EMULATOR_SMS"] = str(sms)
    emulated_test(
        name = name,
        data = [cases],
        env = env,
        profile = profile,
        program = program,
        seed = seed,
        size = size,
    )
