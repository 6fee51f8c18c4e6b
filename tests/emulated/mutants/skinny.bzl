"""The skinny Hopper kernels with one mistake each, and as they are."""

load(":mutant.bzl", "mutant")

# What GEMM_SKINNY_KERNEL takes of a kernel, and its row of hopper_every_cluster_test.
def _kernel(wide, narrow, tile_k, stages, split):
    return struct(
        source = '#include "hopper/skinny/instantiate.cuh"\nGEMM_SKINNY_KERNEL(bf16, kBF16, kk, false, %d, %d, %d, %d)\n' %
                 (wide, narrow, tile_k, stages),
        row = "hopper_bf16_kk_swap_%dx%dx%d_s%d_split%d" % (wide, narrow, tile_k, stages, split),
    )

# K shared by the two CTAs of a cluster; the same with two consumers.
_ONE_CONSUMER = _kernel(64, 16, 128, 10, 2)
_TWO_CONSUMERS = _kernel(128, 32, 128, 4, 2)

# Three tiles of 48 rows for the cluster, 5 K steps each for a ring of 10 stages, 9 of 16 columns.
_SKINNY_CASE = "9 136 1160 in=bf16 fill=integers"

# One of the cases that the suite launches programmatically, with weights asked for early (kernel_suite.cc).
_SKINNY_EARLY_CASE = "9 136 1152 in=bf16 fill=integers"

# With two consumers, which no wgmma keeps together, fewer K steps than stages: neither does the ring, and columns that both
# read. The last tile of either operand begins 16 rows or one before its own.
_SKINNY_WIDE_CASE = "41 272 520 in=bf16 fill=integers"
_SKINNY_IN_PLACE_CASE = _SKINNY_WIDE_CASE + " out=fp32 beta=1 cmode=inplace"

def _skinny(file, find, replace, caught_as, case = _SKINNY_CASE, kernel = _ONE_CONSUMER, nth = 1, count = 1):
    return mutant(
        source = kernel.source,
        suite = "hopper_every_cluster",
        row = kernel.row,
        case = case,
        arch = "compute_90a",
        file = file,
        find = find,
        replace = replace,
        caught_as = caught_as,
        nth = nth,
        count = count,
    )

SKINNY_KERNELS = {
    "none_skinny": _skinny(None, "", "", []),
    "none_skinny_wide": _skinny(None, "", "", [], case = _SKINNY_WIDE_CASE, kernel = _TWO_CONSUMERS),
    "none_skinny_early": _skinny(None, "", "", [], case = _SKINNY_EARLY_CASE),
    "none_skinny_with_c_in_units": _skinny(None, "", "", [], case = _SKINNY_CASE + " beta=1 cmode=distinct"),
    "none_skinny_with_c": _skinny(None, "", "", [], case = _SKINNY_WIDE_CASE + " out=fp32 beta=1 cmode=distinct", kernel = _TWO_CONSUMERS),
    "none_skinny_fp32": _skinny(None, "", "", [], case = _SKINNY_CASE + " out=fp32"),
    "none_skinny_in_place_off_vectors": _skinny(None, "", "", [], case = _SKINNY_IN_PLACE_CASE + " ldd=+1", kernel = _TWO_CONSUMERS),
    "none_skinny_in_place": _skinny(None, "", "", [], case = _SKINNY_IN_PLACE_CASE, kernel = _TWO_CONSUMERS),
}

SKINNY_MUTANTS = {
    "skinny_stage_released_before_the_wait": _skinny(
        "hopper/skinny/consumer.cuh",
        "    device::ptx::WgmmaWait<C::kKeepsBatch ? 1 : 0>();\n    if constexpr (!C::kKeepsBatch) ReleaseStage(shared, at.stage, thread % 32);\n",
        "    if constexpr (!C::kKeepsBatch) ReleaseStage(shared, at.stage, thread % 32);\n    device::ptx::WgmmaWait<C::kKeepsBatch ? 1 : 0>();\n",
        ["overwritten in flight", "unwaited copy"],
    ),
    "skinny_last_wide_tile_where_it_was": _skinny(
        "hopper/skinny/walk.cuh",
        "    tile->wide -= tile->wide_others;\n",
        "",
        ["wrong result"],
    ),
    "skinny_last_narrow_tile_where_it_was": _skinny(
        "hopper/skinny/walk.cuh",
        "    tile->narrow -= tile->narrow_others;\n",
        "",
        ["out of bounds", "wrong result"],
        case = _SKINNY_WIDE_CASE,
        kernel = _TWO_CONSUMERS,
    ),
    "skinny_others_rows_stored_again": _skinny(
        "hopper/skinny/epilogue.cuh",
        "tile.batch, tile.wide_others, 0}",
        "tile.batch, 0, 0}",
        ["wrong result"],
        case = _SKINNY_IN_PLACE_CASE + " ldd=+1",
        kernel = _TWO_CONSUMERS,
    ),
    "skinny_others_vectors_stored_again": _skinny(
        "hopper/skinny/float_store.cuh",
        "stores_(row_ >= tile.wide_others && row_ < rows)",
        "stores_(row_ < rows)",
        ["wrong result"],
        case = _SKINNY_IN_PLACE_CASE,
        kernel = _TWO_CONSUMERS,
    ),
    "skinny_vectors_past_the_last_row": _skinny(
        "hopper/skinny/float_store.cuh",
        "stores_(row_ >= tile.wide_others && row_ < rows)",
        "stores_(row_ >= tile.wide_others)",
        ["wrong result", "out of bounds", "race"],
        case = _SKINNY_CASE + " out=fp32",
    ),
    "skinny_c_of_one_vector_for_all": _skinny(
        "hopper/skinny/float_store.cuh",
        "(c + i * kStep * params_.c_at.narrow_stride)",
        "(c)",
        ["wrong result", "out of bounds"],
        case = _SKINNY_IN_PLACE_CASE,
        kernel = _TWO_CONSUMERS,
    ),
    "skinny_others_columns_stored_again": _skinny(
        "hopper/skinny/epilogue.cuh",
        "max(mine_.first * 8, tile.narrow_others)",
        "mine_.first * 8",
        ["wrong result"],
        nth = 2,
        count = 2,
        case = _SKINNY_IN_PLACE_CASE,
        kernel = _TWO_CONSUMERS,
    ),
    "skinny_peers_not_waited_for": _skinny(
        "hopper/skinny/reduction.cuh",
        "    if (tiles_ == 0) device::ptx::ClusterWait();\n",
        "",
        ["barrier misuse"],
    ),
    "skinny_consumers_set_out_before_the_producers_barriers_stand": _skinny(
        "hopper/skinny/consumer.cuh",
        "  Opening<C::kConsumerThreads>::WaitForProducer();\n",
        "",
        ["barrier misuse"],
    ),
    "skinny_producer_goes_on_before_the_consumers_barriers_stand": _skinny(
        "hopper/skinny/kernel.cuh",
        "    CtaOpening::WaitForConsumers();\n",
        "",
        ["barrier misuse"],
    ),
    "skinny_tokens_left_out_of_the_first_turn": _skinny(
        "hopper/skinny/producer.cuh",
        "LoadStages(C::kStages, {false, true});",
        "LoadStages(C::kStages - 1, {false, true});",
        ["deadlock"],
        case = _SKINNY_EARLY_CASE,
    ),
    "skinny_too_few_sums_announced": _skinny(
        "hopper/skinny/reduction.cuh",
        "(split_ - 1) * Unit(1, 0, 0) * 16",
        "(split_ - 1) * Unit(1, 0, 0) * 8",
        ["unwaited copy", "read of unwritten shared memory", "deadlock"],
    ),
    "skinny_sums_used_before_they_came": _skinny(
        "hopper/skinny/reduction.cuh",
        "      device::ptx::WaitParity(&shared_.received, tiles_ & 1);\n",
        "",
        ["unwaited copy", "read of unwritten shared memory"],
    ),
    "skinny_sums_sent_over_unread_ones": _skinny(
        "hopper/skinny/reduction.cuh",
        "    WaitUntilRead();\n    Send(params, acc);\n",
        "    Send(params, acc);\n",
        ["unwaited copy"],
    ),
    "skinny_sums_given_back_by_one_lane": _skinny(
        "hopper/skinny/reduction.cuh",
        "      __syncwarp();\n      if (fragment_.lane() < split_) {\n",
        "      if (fragment_.lane() < split_) {\n",
        ["unwaited copy"],
    ),
    "skinny_cta_leaves_before_its_sums_are_read": _skinny(
        "hopper/skinny/reduction.cuh",
        "{ WaitUntilRead(); }",
        "{}",
        ["cluster exit"],
    ),
    "skinny_columns_read_before_all_are_staged": _skinny(
        "hopper/skinny/epilogue.cuh",
        "    __syncwarp();\n    StoreUnits(tile);\n",
        "    StoreUnits(tile);\n",
        ["race", "read of unwritten shared memory"],
    ),
    "skinny_c_added_before_all_lanes_have_staged_it": _skinny(
        "hopper/skinny/epilogue.cuh",
        "    StageC(tile);\n    __syncwarp();\n",
        "    StageC(tile);\n",
        ["race", "read of unwritten shared memory"],
        case = _SKINNY_CASE + " beta=1 cmode=distinct",
    ),
    "skinny_sums_staged_over_unread_ones": _skinny(
        "hopper/skinny/epilogue.cuh",
        "      SyncConsumers();  // the round before has been read\n",
        "",
        ["race"],
        case = _SKINNY_WIDE_CASE + " out=fp32",
        kernel = _TWO_CONSUMERS,
    ),
}
