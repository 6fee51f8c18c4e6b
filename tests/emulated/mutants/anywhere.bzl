"""The Hopper kernels whose threads copy rows that start anywhere, with one mistake each, and as they are."""

load(":mutant.bzl", "mutant")

_SOURCE = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_ANYWHERE_KERNEL(bf16, kBF16, %s, kCooperative, 64, 128, 4)\n'

# Two or three tiles a CTA, 17 steps of which the last has an element, so that the groups of warps begin tiles by turns; tails in every direction. Rows start at odd elements, so that every
# warp's are shifted.
_CASE = "70 265 1025 in=bf16 fill=integers"

def _anywhere(file, find, replace, caught_as, b = "c", case = _CASE):
    layout = "kk" if b == "c" else "kn"
    return mutant(
        source = _SOURCE % ("kk, false, false" if b == "c" else "kn, false, true"),
        suite = "hopper",
        row = "hopper_bf16_%s_64x128x64_s4_anywhere" % layout,
        case = case + " b=" + b,
        arch = "compute_90a",
        file = "hopper/" + file if file else None,
        find = find,
        replace = replace,
        caught_as = caught_as,
    )

ANYWHERE_KERNELS = {
    "none_anywhere_kk": _anywhere(None, "", "", []),
    "none_anywhere_kn": _anywhere(None, "", "", [], b = "r"),
}

ANYWHERE_MUTANTS = {
    "anywhere_copies_waited_for_one_step_late": _anywhere(
        "thread_producer.cuh",
        "device::ptx::CpAsyncWait<C::kRawStages - 1>();",
        "device::ptx::CpAsyncWait<C::kRawStages>();",
        ["unwaited copy"],
    ),
    "anywhere_lanes_read_before_others_waited": _anywhere(
        "thread_producer.cuh",
        "device::ptx::CpAsyncWait<C::kRawStages - 1>();\n      __syncwarp();\n",
        "device::ptx::CpAsyncWait<C::kRawStages - 1>();\n",
        ["unwaited copy"],
    ),
    "anywhere_stage_written_before_it_is_free": _anywhere(
        "thread_producer.cuh",
        "      AcquireStage(shared_, at);\n",
        "",
        ["race", "overwritten in flight", "missing proxy fence"],
    ),
    "anywhere_no_proxy_fence": _anywhere(
        "pipeline.cuh",
        "  if constexpr (C::kStartsAnywhere) device::ptx::FenceSharedForAsync();\n",
        "",
        ["missing proxy fence"],
    ),
    "anywhere_stage_announced_by_one_warp": _anywhere(
        "thread_producer.cuh",
        "device::ptx::InitBarrier(&shared.full[i], kRawWarps);",
        "device::ptx::InitBarrier(&shared.full[i], 1);",
        ["overwritten in flight", "deadlock", "race", "missing proxy fence", "barrier misuse", "read of unwritten shared memory"],
    ),
    "anywhere_announced_before_all_lanes_have_stored": _anywhere(
        "thread_producer.cuh",
        "shared_.b[at.stage]);\n      __syncwarp();\n",
        "shared_.b[at.stage]);\n",
        ["unwaited copy", "race", "missing proxy fence", "read of unwritten shared memory"],
    ),
    "anywhere_last_piece_not_copied": _anywhere(
        "shifted_operand.cuh",
        "if (has_last_) {",
        "if (has_last_ && Lane() > 0) {",
        ["wrong result", "read of unwritten shared memory"],
    ),
    "anywhere_shifted_by_a_word_too_few": _anywhere(
        "shifted_operand.cuh",
        "__funnelshift_r(words[kWords + i], words[(kWords + i + 1) % 8], bits)",
        "__funnelshift_r(words[kWords + i], words[kWords + i], bits)",
        ["wrong result"],
    ),
    "anywhere_beyond_k_what_is_there": _anywhere(
        "shifted_operand.cuh",
        "return there ? max(0, min(along - in_row, kPieceBytes)) : 0;",
        "return there ? along - in_row > 0 ? kPieceBytes : 0 : 0;",
        ["wrong result", "out of bounds"],
    ),
    "anywhere_rows_beyond_k_what_is_there": _anywhere(
        "shifted_operand.cuh",
        "const bool there = !Transposed || k + warp_ + own % 8 * kRawWarps < k_;",
        "const bool there = true;",
        ["wrong result", "out of bounds"],
        b = "r",
    ),
    "anywhere_groups_take_the_same_steps": _anywhere(
        "thread_producer.cuh",
        "ahead_(1 + warp / kRawWarps)",
        "ahead_(1)",
        ["wrong result"],
    ),
    "anywhere_steps_lost_between_tiles": _anywhere(
        "thread_producer.cuh",
        "step_ = tile.first_step + behind;",
        "step_ = tile.first_step;",
        ["wrong result", "deadlock", "barrier misuse", "race"],
    ),
    "anywhere_second_block_without_its_offset": _anywhere(
        "shifted_operand.cuh",
        "if (Transposed) return left_ > 64 ? kRows : 8;",
        "if (Transposed) return kRows - 1;",
        ["wrong result", "read of unwritten shared memory"],
        b = "r",
    ),
}
