"""codegen_test: what ptxas made of a cuda_kernels target, as a test."""

load("@rules_cc//cc:defs.bzl", "cc_test")

def codegen_test(name, kernels, instruction, spills = False, lane_loops = True, loads_in_front = False):
    """Fails on a spill, on a wgmma or setmaxnreg warning, and on a kernel without its instruction.

    Args:
      name: of the test.
      kernels: label of a cuda_kernels target.
      instruction: HGMMA, HMMA, FFMA or LDG: what each of its kernels must contain in each of its cubins.
      spills: the kernels are there to spill, and must.
      loads_in_front: their first tensor copy must lie in front of their first wgmma, but for ping-pong kernels.
      lane_loops: they may issue copies in loops over a warp's lanes.
    """
    cc_test(
        name = name,
        size = "small",
        args = [
            "--instruction=" + instruction,
        ] + (["--spills"] if spills else []) + ([] if lane_loops else ["--no-lane-loops"]) + (["--loads-in-front"] if loads_in_front else []) + [
            "$(locations %s_ptxas)" % kernels,
            "$(locations %s_cubin)" % kernels,
        ],
        data = [
            kernels + "_cubin",
            kernels + "_ptxas",
        ],
        deps = [
            ":codegen_test",
        ],
    )
