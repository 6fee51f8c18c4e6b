"""The kernels for few rows with one mistake each, and as they are."""

load(":mutant.bzl", "mutant")

_FEW = '#include "ampere/few/few_kernel.cuh"\nGEMM_AMPERE_FEW_KERNEL(bf16, BF16, 8, 3, 3)\n'
_GEMV = '#include "ampere/few/gemv_kernel.cuh"\nGEMM_AMPERE_GEMV_KERNEL(bf16, BF16, 2, 8, 8)\n'

def _few(file, find, replace, caught_as, gemv = False, case = "5 40 2056 in=bf16 fill=integers"):
    return mutant(
        source = _GEMV if gemv else _FEW,
        suite = "ampere",
        row = "ampere_bf16_kk_gemv_1x2x256" if gemv else "ampere_bf16_kk_few_8x16x64_s3",
        case = case,
        arch = "compute_80",
        file = "ampere/few/" + file if file else None,
        find = find,
        replace = replace,
        caught_as = caught_as,
    )

def _gemv(file, find, replace, caught_as, case = "1 40 2056 in=bf16 fill=integers"):
    return _few(file, find, replace, caught_as, gemv = True, case = case)

FEW_KERNELS = {
    "none_few": _few(None, "", "", []),
    "none_gemv": _gemv(None, "", "", []),
}

FEW_MUTANTS = {
    "few_copies_waited_for_one_stage_late": _few(
        "few_kernel.cuh",
        "device::ptx::CpAsyncWait<C::kStages - 1>();",
        "device::ptx::CpAsyncWait<C::kStages>();",
        ["unwaited copy"],
    ),
    "few_lanes_read_before_others_waited": _few(
        "few_kernel.cuh",
        "device::ptx::CpAsyncWait<C::kStages - 1>();\n      __syncwarp();\n",
        "device::ptx::CpAsyncWait<C::kStages - 1>();\n",
        ["unwaited copy"],
    ),
    "few_copies_over_fragments_that_others_read": _few(
        "few_kernel.cuh",
        "Multiply(stage);\n      __syncwarp();\n",
        "Multiply(stage);\n",
        ["race", "unwaited copy"],
    ),
    "few_zeros_behind_k_left_out": _few(
        "few_kernel.cuh",
        "Chunk() * kPiece < left",
        "Chunk() * kPiece <= left",
        ["out of bounds", "wrong result"],
    ),
    "few_sums_read_before_all_warps_left_theirs": _few(
        "few_kernel.cuh",
        "  product.LeaveSums(own.sums);\n  __syncthreads();\n",
        "  product.LeaveSums(own.sums);\n",
        ["race", "unwaited copy"],
    ),
    "few_writes_past_the_last_row": _few(
        "few_kernel.cuh",
        "row < params.wide_rows - first_row",
        "row <= params.wide_rows - first_row",
        ["out of bounds", "wrong result"],
    ),
    "gemv_sums_read_before_all_warps_left_theirs": _gemv(
        "gemv_kernel.cuh",
        "  __syncthreads();\n  if (stores) epilogue",
        "  if (stores) epilogue",
        ["race"],
    ),
    "gemv_reads_past_the_last_row": _gemv(
        "gemv_kernel.cuh",
        "min(first_row + r, params.wide_rows - 1)",
        "(first_row + r)",
        ["out of bounds"],
        case = "1 33 2056 in=bf16 fill=integers",
    ),
    "gemv_adds_up_other_slices": _gemv(
        "gemv_kernel.cuh",
        "row / C::kWide << slice_bits",
        "row / C::kWide",
        ["wrong result"],
        case = "1 40 600 in=bf16 fill=integers",
    ),
    "gemv_slices_take_the_same_k": _gemv(
        "gemv_kernel.cuh",
        "slice * kWarpK + lane * kPiece",
        "lane * kPiece",
        ["wrong result"],
    ),
    "few_short_operand_of_the_first_matrix": _few(
        "few_kernel.cuh",
        "blockIdx.y * operand.batch_stride",
        "0",
        ["wrong result"],
        case = "5 40 136 in=bf16 batch=2 fill=integers",
    ),
    "gemv_loads_past_k": _gemv(
        "gemv_kernel.cuh",
        "if (left_ <= 0) return;",
        "if (left_ < -8) return;",
        ["out of bounds"],
    ),
}
