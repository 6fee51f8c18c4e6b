"""The kernels for few rows with one mistake each, and as they are."""

load(":mutant.bzl", "mutant")

_FEW = '#include "ampere/few/few_kernel.cuh"\nGEMM_AMPERE_FEW_KERNEL(bf16, BF16, kk, 8, 16, 3, 3)\n'
_FEW_KN = '#include "ampere/few/few_kernel.cuh"\nGEMM_AMPERE_FEW_KERNEL(bf16, BF16, kn, 16, 16, 2, 3)\n'
_GEMV = '#include "ampere/few/gemv_kernel.cuh"\nGEMM_AMPERE_GEMV_KERNEL(bf16, BF16, 2, 8, 8)\n'

_ANY = '#include "ampere/few/any_kernel.cuh"\nGEMM_AMPERE_FEW_ANY_KERNEL(bf16, BF16, 8, 16, 8, 2, 4)\n'
_COLUMNS = '#include "ampere/few/columns_kernel.cuh"\nGEMM_AMPERE_FEW_COLUMNS_KERNEL(bf16, BF16, 3, 2)\n'

def _of(source, row, file, find, replace, caught_as, case, sms = 2, nth = 1, count = 1):
    return mutant(
        source = source,
        suite = "ampere",
        row = row,
        case = case,
        arch = "compute_80",
        file = "ampere/few/" + file if find else None,
        find = find,
        replace = replace,
        caught_as = caught_as,
        sms = sms,
        nth = nth,
        count = count,
    )

def _few(file, find, replace, caught_as, case = "5 40 2056 in=bf16 fill=integers", nth = 1, count = 1):
    return _of(_FEW, "ampere_bf16_kk_few_8x16x64_s3", file, find, replace, caught_as, case, nth = nth, count = count)

# Three CTAs, the last of which has half of its columns, and K for two turns of the rings and a part.
def _few_kn(file, find, replace, caught_as, case = "13 40 2056 b=r in=bf16 fill=integers", nth = 1, count = 1):
    return _of(_FEW_KN, "ampere_bf16_kn_few_16x16x64_s2", file, find, replace, caught_as, case, nth = nth, count = count)

def _gemv(file, find, replace, caught_as, case = "1 40 2056 in=bf16 fill=integers"):
    return _of(_GEMV, "ampere_bf16_kk_gemv_1x2x256", file, find, replace, caught_as, case)

# Rows of 2657 elements start alike 64 apart, so that a warp has two of 70 or one; 42 steps are five turns of eight warps and a part.
def _any(find, replace, caught_as, case = "5 70 2657 in=bf16 fill=integers", file = "any_kernel.cuh"):
    return _of(_ANY, "ampere_bf16_kk_few_8x16x64_w8_any", file, find, replace, caught_as, case)

# Two tiles of columns, the second of which is not whole, and ten steps of K, the last of which is not.
def _columns(find, replace, caught_as, case = "5 150 1233 b=r in=bf16 fill=integers", file = "columns_kernel.cuh", sms = 2):
    return _of(_COLUMNS, "ampere_bf16_kn_few_8x128x128_s3_any", file, find, replace, caught_as, case, sms)

FEW_KERNELS = {
    "none_few_columns": _columns("", "", []),
    "none_few_kn": _few_kn("", "", "", []),
    "none_few_any": _any("", "", []),
    "none_few": _few("", "", "", []),
    "none_gemv": _gemv("", "", "", []),
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
        "copies.cuh",
        "Chunk() * kPiece < left",
        "Chunk() * kPiece <= left",
        ["out of bounds", "wrong result"],
    ),
    "few_kn_copies_waited_for_one_stage_late": _few_kn(
        "few_kernel.cuh",
        "device::ptx::CpAsyncWait<C::kStages - 1>();",
        "device::ptx::CpAsyncWait<C::kStages>();",
        ["unwaited copy"],
    ),
    "few_kn_lanes_read_before_others_waited": _few_kn(
        "few_kernel.cuh",
        "device::ptx::CpAsyncWait<C::kStages - 1>();\n      __syncwarp();\n",
        "device::ptx::CpAsyncWait<C::kStages - 1>();\n",
        ["unwaited copy"],
    ),
    "few_kn_copies_over_fragments_that_others_read": _few_kn(
        "few_kernel.cuh",
        "Multiply(stage);\n      __syncwarp();\n",
        "Multiply(stage);\n",
        ["race", "unwaited copy"],
    ),
    "few_kn_k_behind_the_last": _few_kn(
        "copies.cuh",
        "KOf(i) < left",
        "KOf(i) <= left",
        ["out of bounds"],
    ),
    "few_kn_columns_behind_the_last": _few_kn(
        "copies.cuh",
        "there_(Chunk() * kPiece < columns)",
        "there_(Chunk() * kPiece <= columns)",
        ["out of bounds"],
    ),
    "few_kn_halves_of_a_fragment_alike": _few_kn(
        "few_kernel.cuh",
        "w * 2 + Lane() / 8 % 2",
        "w * 2",
        ["wrong result"],
    ),
    "few_kn_k_of_a_fragment_alike": _few_kn(
        "few_kernel.cuh",
        "sixteen * 16 + Lane() / 16 * 8 + Lane() % 8",
        "sixteen * 16 + Lane() % 8",
        ["wrong result"],
    ),
    "few_kn_second_octet_of_rows_is_the_first": _few_kn(
        "few_kernel.cuh",
        "Offset(f * 8 + Lane() % 8, pair * 4 + Lane() / 8)",
        "Offset(Lane() % 8, pair * 4 + Lane() / 8)",
        ["wrong result"],
    ),
    "few_kn_longer_operand_of_the_first_matrix": _few_kn(
        "copies.cuh",
        "blockIdx.y * operand.batch_stride",
        "0",
        ["wrong result"],
        case = "13 40 136 b=r in=bf16 batch=2 fill=integers",
        nth = 2,
        count = 2,
    ),
    "few_any_copies_waited_for_one_stage_late": _any(
        "device::ptx::CpAsyncWait<C::kStages - 1>();",
        "device::ptx::CpAsyncWait<C::kStages>();",
        ["unwaited copy"],
    ),
    "few_any_lanes_read_before_others_waited": _any(
        "device::ptx::CpAsyncWait<C::kStages - 1>();\n      __syncwarp();\n",
        "device::ptx::CpAsyncWait<C::kStages - 1>();\n",
        ["unwaited copy"],
    ),
    "few_any_copies_over_fragments_that_others_read": _any(
        "Multiply(stage, step);\n      __syncwarp();\n",
        "Multiply(stage, step);\n",
        ["race", "unwaited copy"],
    ),
    "few_any_sums_over_rows_that_others_clear": _any(
        "    __syncwarp();  // a warp without a step has cleared rows\n",
        "",
        ["race"],
        case = "5 70 129 in=bf16 fill=integers",
    ),
    "few_any_sums_read_before_all_warps_left_theirs": _any(
        "  __syncthreads();\n  outputs.Store",
        "  outputs.Store",
        ["race", "unwaited copy"],
    ),
    "few_any_missing_rows_not_cleared": _any(
        "if (RowOf(pass) >= rows_) Store(",
        "if (RowOf(pass) > rows_) Store(",
        ["read of unwritten shared memory"],
        file = "wide_copies.cuh",
    ),
    "few_any_start_of_rows_left_out": _any(
        "if (First() == 0) wide_.StoreStart(",
        "if (First() < 0) wide_.StoreStart(",
        ["read of unwritten shared memory"],
    ),
    "few_any_row_before_in_the_start": _any(
        "HasStart() && at >= 0 && at < steps_.k",
        "HasStart() && at < steps_.k",
        ["out of bounds", "wrong result"],
        case = "5 70 2657 in=bf16 ldb=+8 fill=integers",
        file = "wide_copies.cuh",
    ),
    "few_any_end_of_rows_copied_whole": _any(
        "min(left, kPiece) * 2",
        "kPieceBytes",
        ["out of bounds", "wrong result"],
        file = "wide_copies.cuh",
    ),
    "few_any_row_before_in_the_first_step": _any(
        "if (at < 0 || left <= 0) {",
        "if (left <= 0) {",
        ["out of bounds", "wrong result"],
        case = "5 70 2657 in=bf16 ldb=+8 fill=integers",
        file = "wide_copies.cuh",
    ),
    "few_any_short_operand_loaded_past_k": _any(
        "At(step + 1) + kPiece <= k",
        "At(step + 1) <= k",
        ["out of bounds", "wrong result"],
        file = "steps.cuh",
    ),
    "few_any_short_operand_not_shifted_by_four": _any(
        "if (ahead & 4) {",
        "if (ahead & 8) {",
        ["wrong result"],
        file = "few_rows.cuh",
    ),
    "few_any_short_operand_of_the_step_before": _any(
        "if (step + C::kWarps < steps_.count()) LoadFew(step + C::kWarps);",
        "if (step + C::kWarps < steps_.count()) LoadFew(step);",
        ["wrong result"],
    ),
    "few_any_rows_of_another_class": _any(
        "first = static_cast<int>(blockIdx.x) / period * wide * period + start;",
        "first = static_cast<int>(blockIdx.x) / period * wide * period;",
        ["wrong result"],
        file = "wide_copies.cuh",
    ),
    "few_any_writes_past_the_last_row": _any(
        "if (row < rows_.count && few < few_rows_)",
        "if (row <= rows_.count && few < few_rows_)",
        ["out of bounds", "wrong result"],
        file = "outputs.cuh",
    ),
    "few_columns_copies_waited_for_one_stage_late": _columns(
        "device::ptx::CpAsyncWait<C::kStages - 1>();\n        __syncwarp();",
        "device::ptx::CpAsyncWait<C::kStages>();\n        __syncwarp();",
        ["unwaited copy"],
    ),
    "few_columns_lanes_read_before_others_waited": _columns(
        "device::ptx::CpAsyncWait<C::kStages - 1>();\n        __syncwarp();",
        "device::ptx::CpAsyncWait<C::kStages - 1>();",
        ["unwaited copy"],
    ),
    "few_columns_copies_over_pieces_that_others_read": _columns(
        "uint2{});\n        __syncwarp();",
        "uint2{});",
        ["race", "unwaited copy"],
    ),
    "few_columns_chunk_read_before_all_threads_waited": _columns(
        "        __syncthreads();  // of all threads",
        "        __syncwarp();  // of all threads",
        ["race", "unwaited copy", "read of unwritten shared memory"],
    ),
    "few_columns_chunk_over_the_one_that_is_read": _columns(
        "to_ + chunk % 2 * kFewChunkBytes;",
        "to_;",
        ["race", "unwaited copy", "wrong result"],
        file = "few_values.cuh",
    ),
    "few_columns_sums_read_before_all_warps_left_theirs": _columns(
        "  __syncthreads();\n  outputs.Store",
        "  outputs.Store",
        ["race", "unwaited copy"],
    ),
    "few_columns_classes_start_alike": _columns(
        "column + of_class * params.wide.ld",
        "column",
        ["misaligned address"],
        file = "wide_columns.cuh",
    ),
    "few_columns_k_of_the_class_before": _columns(
        "class_ + kClasses * RowOf(q)",
        "kClasses * RowOf(q)",
        ["misaligned address"],
        file = "wide_columns.cuh",
    ),
    "few_columns_end_of_k_copied": _columns(
        "there ? 2 * There(piece) : 0",
        "2 * There(piece)",
        ["out of bounds", "wrong result"],
        file = "wide_columns.cuh",
    ),
    "few_columns_end_of_rows_copied_whole": _columns(
        "max(0, min(left_ - piece * kPiece, kPiece))",
        "kPiece",
        ["out of bounds"],
        file = "wide_columns.cuh",
    ),
    "few_columns_short_operand_not_shifted": _columns(
        "return by_k_ ? Behind<kPiece>(matrix_ + row * params_.few_row_stride) : 0;",
        "return by_k_ ? Behind<kPiece>(matrix_) : 0;",
        ["misaligned address"],
        file = "few_values.cuh",
    ),
    "few_columns_short_operand_behind_k": _columns(
        "max(0, min(product.k - k, kPiece))",
        "kPiece",
        ["out of bounds", "wrong result"],
        file = "few_values.cuh",
    ),
    "few_columns_short_operand_by_columns_behind_k": _columns(
        "const bool there = first_k + k < params_.product.k;",
        "const bool there = true;",
        ["out of bounds"],
        case = "5 150 1233 a=c b=r in=bf16 fill=integers",
        file = "few_values.cuh",
    ),
    "few_columns_parts_take_the_same_k": _columns(
        "first_step(StepOfPart(params, blockIdx.z)),",
        "first_step(0),",
        ["wrong result"],
        file = "wide_columns.cuh",
        sms = 16,
    ),
    "few_columns_own_part_added_twice": _columns(
        "    sums[0] = sums[1] = sums[2] = sums[3] = 0;\n",
        "",
        ["wrong result"],
        sms = 16,
    ),
    "few_columns_writes_past_the_last_column": _columns(
        "min(params.columns, params.product.wide_rows - tile.first) - Column()",
        "params.columns - Column()",
        ["out of bounds", "wrong result"],
    ),
    "few_columns_part_of_the_first_matrix": _columns(
        "* gridDim.y + blockIdx.y) * gridDim.x",
        "* gridDim.y) * gridDim.x",
        ["race", "wrong result"],
        case = "5 150 1233 b=r batch=2 in=bf16 fill=integers",
        sms = 16,
    ),
    "few_sums_read_before_all_warps_left_theirs": _few(
        "few_kernel.cuh",
        "  product.LeaveSums(own.sums);\n  __syncthreads();\n",
        "  product.LeaveSums(own.sums);\n",
        ["race", "unwaited copy"],
    ),
    "few_writes_past_the_last_row": _few(
        "outputs.cuh",
        "row < rows_.count",
        "row <= rows_.count",
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
        "copies.cuh",
        "blockIdx.y * operand.batch_stride",
        "0",
        ["wrong result"],
        case = "5 40 136 in=bf16 batch=2 fill=integers",
        count = 2,
    ),
    "gemv_loads_past_k": _gemv(
        "gemv_kernel.cuh",
        "if (left_ <= 0) return;",
        "if (left_ < -8) return;",
        ["out of bounds"],
    ),
}
