"""How the CTAs of the tiled Hopper kernels share K, by split K, parallel split K and stream-K, with one mistake each, and as they are."""

load(":mutant.bzl", "SEEDS_WITH_EARLY_STARTS", "hopper_mutant")

_SPLIT_K = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kSplitK, 64, 112, 9, 2, 1)\n'
_STREAM_K = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kStreamK, 64, 64, 12, 1, 1)\n'
_PARALLEL_SPLIT_K = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kParallelSplitK, 64, 80, 12, 2, 2)\n'
_ADD_PARTS = '#include "hopper/add_parts.cu"\n'
_UNEVEN_SHARES = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kStreamK, 128, 80, 8, 2, 2)\n'

# Two pairs of CTAs and more for one tile, which has rows for some warps only.
def _split_k(*mistake):
    return hopper_mutant(_SPLIT_K, "hopper_bf16_kk_64x112x64_s9_c2x1_ck", "104 104 1032 in=bf16 fill=integers", 8, mistake)

# One tile of a cluster in four parts, of which the first has a K step more; rows for some warps only.
def _parallel_split_k(*mistake):
    return hopper_mutant(_PARALLEL_SPLIT_K, "hopper_bf16_kk_64x80x64_s12_c2x2_pk", "104 72 1032 in=bf16 fill=integers", 16, mistake)

# The kernel that adds the parts up.
def _add_parts(*mistake, **seeds):
    return hopper_mutant(_ADD_PARTS, "hopper_bf16_kk_64x80x64_s12_c2x2_pk", "104 71 1032 in=bf16 beta=2 cmode=distinct fill=integers", 16, mistake, **seeds)

# The same by the row that computes D's transpose, two chunks of columns.
def _transposed_by_warps(*mistake):
    return hopper_mutant(_SPLIT_K, "hopper_bf16_kk_64x112x64_s9_c2x1_ck_t", "104 104 1032 in=bf16 fill=integers", 8, mistake)

# Two tiles, one with rows for some warps only, of so many K steps that four parts each are predicted to be the fastest.
def _scattered(*mistake):
    return hopper_mutant(_STREAM_K, "hopper_bf16_kk_64x64x64_s12_c1x1_sk", "104 40 12296 in=bf16 fill=integers", 8, mistake)

# Two tiles in two or three parts each, of which the one that finishes the tile has some K steps more.
def _handed_over(*mistake):
    return hopper_mutant(_STREAM_K, "hopper_bf16_kk_64x64x64_s12_c1x1_sk", "104 40 2056 in=bf16 fill=integers", 8, mistake)

# One tile of a cluster in four parts, whose vectors the warps share unevenly.
def _uneven_shares(*mistake):
    return hopper_mutant(_UNEVEN_SHARES, "hopper_bf16_kk_128x80x64_s8_c2x2_sk", "232 72 12296 in=bf16 fill=integers", 16, mistake)

SHARED_K_KERNELS = {
    "none_add_parts": _add_parts(None, "", "", []),
    "none_handed_over": _handed_over(None, "", "", []),
    "none_parallel_split_k": _parallel_split_k(None, "", "", []),
    "none_scattered": _scattered(None, "", "", []),
    "none_transposed_by_warps": _transposed_by_warps(None, "", "", []),
    "none_uneven_shares": _uneven_shares(None, "", "", []),
}

SHARED_K_MUTANTS = {
    # Split K.
    "sums_sent_into_a_ring_in_use": _split_k(
        "hopper/split_k.cuh",
        "    device::ptx::WaitParity(&shared_.ring_free, 0);\n",
        "",
        ["overwritten in flight", "race", "unwaited copy", "cluster exit", "wrong result"],
    ),
    "ring_never_said_to_be_free": _split_k(
        "hopper/split_k.cuh",
        "    if (lane_ < parts_) device::ptx::ArriveCluster(In(lane_, &shared_.ring_free));\n",
        "",
        ["deadlock"],
    ),
    "sums_added_before_they_came": _split_k(
        "hopper/split_k.cuh",
        "    device::ptx::WaitParity(&shared_.received[warp_], 0);\n",
        "",
        ["unwaited copy", "race", "read of unwritten shared memory"],
    ),
    "sums_for_another_warp": _split_k(
        "hopper/split_k.cuh",
        "&shared_.received[warp_]);\n",
        "&shared_.received[warp_ ^ 1]);\n",
        ["deadlock", "unwaited copy", "race"],
    ),
    "part_of_k_counted_from_the_wrong_step": _split_k(
        "hopper/split_k.cuh",
        "    tile->first_step = part_;\n",
        "    tile->first_step = part_ ^ 1;\n",
        ["wrong result"],
    ),

    # Parallel split K.
    "parallel_parts_rest_of_k_left_out": _parallel_split_k(
        "hopper/parallel_split_k.cuh",
        "part * params.split_k.each + min(part, params.split_k.rest);",
        "part * params.split_k.each;",
        ["wrong result"],
    ),
    "second_part_not_added": _add_parts(
        "hopper/add_parts.cuh",
        "unsigned part = 1; part < parts;",
        "unsigned part = 2; part < parts;",
        ["wrong result"],
    ),
    "parts_added_before_the_product_has_ended": _add_parts(
        "hopper/add_parts.cu",
        "  gemm::device::ptx::GridDependencyWait();\n",
        "",
        ["wrong result"],
        seeds = SEEDS_WITH_EARLY_STARTS,
    ),
    "last_column_stored_with_the_next_rows_first": _add_parts(
        "hopper/add_parts.cuh",
        "min(output_.n - column_, 2)",
        "2",
        ["wrong result", "race", "out of bounds"],
    ),

    # D's transpose, by warps that store for themselves.
    "columns_staged_over_those_that_are_read": _transposed_by_warps(
        "hopper/transposed_store.cuh",
        "        __syncwarp();  // what was staged before has been read\n",
        "",
        ["race"],
    ),
    "columns_read_before_all_are_staged": _transposed_by_warps(
        "hopper/transposed_store.cuh",
        "        }\n        __syncwarp();\n#pragma unroll\n        for (int i = 0; i < kUnitColumns",
        "        }\n#pragma unroll\n        for (int i = 0; i < kUnitColumns",
        ["race"],
    ),

    # Stream-K's sums, handed over to the part that finishes the tile.
    "finisher_has_no_more_steps_than_others": _handed_over(
        "hopper/stream_k.cuh",
        "tile->steps = tile->part == 0 ? params_.k_steps - tile->first_step : StepsOfPart(params_, part);",
        "tile->steps = StepsOfPart(params_, part);",
        ["wrong result"],
    ),

    # Stream-K's sums, scattered.
    "sums_copied_into_a_ring_in_use": _scattered(
        "hopper/scattered_sums.cuh",
        "    Meet();  // nobody multiplies from the ring any more, and what the owners have seen all may read\n",
        "",
        ["overwritten in flight", "race", "unwaited copy", "wrong result", "read of unwritten shared memory"],
    ),
    "sum_used_before_others_have_added": _scattered(
        "hopper/scattered_sums.cuh",
        "    SumUp();\n    Meet();\n",
        "    SumUp();\n",
        ["race", "unwaited copy"],
    ),
    "copied_sums_not_waited_for": _scattered(
        "hopper/scattered_sums.cuh",
        "    device::ptx::CpAsyncWait<0>();\n",
        "",
        ["unwaited copy"],
    ),
    "owner_does_not_wait_for_other_parts": _scattered(
        "hopper/scattered_sums.cuh",
        "tile_.part == owner_ && AllHandedOver(owner_, !last);",
        "tile_.part == owner_;",
        ["race", "wrong result"],
    ),
    "rest_of_the_vectors_not_copied": _uneven_shares(
        "hopper/scattered_sums.cuh",
        "      if (warp_ < kRest) CopyVectors<1>(warp, kFirstOfRest + warp_);\n",
        "",
        ["race", "wrong result", "read of unwritten shared memory"],
    ),
    "rest_of_the_vectors_not_added": _uneven_shares(
        "hopper/scattered_sums.cuh",
        "      if (warp_ < kRest) AddVectors<1>(warp, kFirstOfRest + warp_);\n",
        "",
        ["wrong result"],
    ),
    "more_vectors_added_than_there_are": _uneven_shares(
        "hopper/scattered_sums.cuh",
        "      if (warp_ < kRest) AddVectors<1>(",
        "      AddVectors<1>(",
        ["race", "wrong result", "unwaited copy", "read of unwritten shared memory"],
    ),
    "parts_rest_of_k_left_out": _scattered(
        "hopper/parallel_split_k.cuh",
        "part * params.split_k.each + min(part, params.split_k.rest);",
        "part * params.split_k.each;",
        ["wrong result"],
    ),
}
