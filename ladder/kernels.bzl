"""What the folders of the ladder's kernels have in common."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("//tools/cuda:cuda_kernels.bzl", "cuda_kernels")

def ladder_rows(name, deps = []):
    """The rows of the folder and their constants, for host and device code."""
    cc_library(
        name = name,
        hdrs = [
            "config.h",
            "define.h",
        ],
        textual_hdrs = ["kernels.inc"],
        deps = ["//ladder:params"] + deps,
    )

def ladder_kernels(name, rows, srcs, ptx = "compute_80"):
    """The device code of the folder: cubins for Hopper; other cards take the PTX."""
    cuda_kernels(
        name = name,
        srcs = srcs,
        hdrs = native.glob(["*.cuh"]),
        sm = ["sm_90a"],
        ptx = [ptx],
        retarget_from = ptx,
        deps = [
            rows,
            "//common/device",
            "//ladder:element",
        ],
    )
