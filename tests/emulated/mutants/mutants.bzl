"""Kernels with one mistake each, made from the sources: what the emulated GPU must catch and name."""

load("//tools/cuda:cuda_kernels.bzl", "cuda_kernels")

# Instantiations: one row of each backend's table.
_HOPPER = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kCooperative, 128, 128, 6, 2, 1)\n'
_PINGPONG = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kPingpong, 128, 128, 6, 2, 1)\n'
_SKINNY = '#include "hopper/skinny/instantiate.cuh"\nGEMM_SKINNY_KERNEL(bf16, kBF16, kk, false, 64, 16, 128, 4)\n'
_SKINNY_WIDE = '#include "hopper/skinny/instantiate.cuh"\nGEMM_SKINNY_KERNEL(bf16, kBF16, kk, false, 128, 32, 128, 4)\n'
_AMPERE = '#include "ampere/kernel.cuh"\nGEMM_AMPERE_KERNEL(kk, bf16, k, k, aligned, 64, 64, 64, 2, 2, 4, 2)\n'

_HOPPER_ROW = "hopper_bf16_kk_128x128x64_s6_c2x1"
_PINGPONG_ROW = "hopper_bf16_kk_128x128x64_s6_c2x1_pp"
_AMPERE_ROW = "ampere_bf16_kk_64x64x64_s4"

# K shared by the two CTAs of a cluster: rows of hopper_every_cluster_test.
_SKINNY_ROW = "hopper_bf16_kk_swap_64x16x128_s4_split2"
_SKINNY_WIDE_ROW = "hopper_bf16_kk_swap_128x32x128_s4_split2"

# The device has 2 multiprocessors, one cluster's, so that each CTA computes several tiles of a small product.
_SMS = 2

# Fewer rows of A than a tile, and of B than a CTA's slice of one.
_HOPPER_FEW_ROWS = "40 24 584 in=bf16 fill=integers"

# Four tiles for each CTA, 24 K blocks for a ring of 6 stages; tails in every direction.
_HOPPER_CASE = "264 136 328 in=bf16 fill=integers"

# More tiles than a CTA's epilogue has buffers, for two clusters: five for each CTA.
_MANY_TILES_SMS = 4
_HOPPER_MANY_TILES = "136 136 200 batch=5 in=bf16 fill=integers"

# A D that the threads store.
_HOPPER_ODD_CASE = "264 135 328 in=bf16 fill=integers"

# Several tiles for each consumer: three or five for each CTA.
_PINGPONG_CASE = "136 8 456 batch=3 in=bf16 fill=integers"
_PINGPONG_CASE_WITH_C = "136 8 264 batch=5 in=bf16 beta=1 cmode=distinct fill=integers"
_AMPERE_CASE = "136 136 456 in=bf16 fill=integers"

# Three tiles of 48 rows for the cluster, 5 K steps for a ring of 4 stages, 9 of 16 columns.
_SKINNY_CASE = "9 136 1160 in=bf16 fill=integers"

# With two consumers, which no wgmma keeps together, fewer K steps than stages: neither does the ring, and columns that both
# read. The last tile of either operand begins 16 rows or one before its own.
_SKINNY_WIDE_CASE = "41 272 520 in=bf16 fill=integers"
_SKINNY_IN_PLACE_CASE = _SKINNY_WIDE_CASE + " out=fp32 beta=1 cmode=inplace"

def _hopper(file, find, replace, caught_as, nth = 1, count = 1, beta = 0, case = _HOPPER_CASE):
    return struct(
        source = _HOPPER,
        suite = "hopper",
        row = _HOPPER_ROW,
        case = case + (" beta=%d cmode=distinct" % beta if beta else ""),
        sms = _MANY_TILES_SMS if case.startswith(_HOPPER_MANY_TILES) else _SMS,
        file = file,
        find = find,
        replace = replace,
        caught_as = caught_as,
        nth = nth,
        count = count,
        arch = "compute_90a",
    )

def _pingpong(file, find, replace, caught_as, beta = 0):
    return struct(
        source = _PINGPONG,
        suite = "hopper",
        row = _PINGPONG_ROW,
        case = (_PINGPONG_CASE_WITH_C if beta else _PINGPONG_CASE),
        sms = _SMS,
        file = file,
        find = find,
        replace = replace,
        caught_as = caught_as,
        nth = 1,
        count = 1,
        arch = "compute_90a",
    )

def _skinny(file, find, replace, caught_as, case = _SKINNY_CASE):
    wide = case.startswith(_SKINNY_WIDE_CASE)
    return struct(
        source = _SKINNY_WIDE if wide else _SKINNY,
        suite = "hopper_every_cluster",
        row = _SKINNY_WIDE_ROW if wide else _SKINNY_ROW,
        case = case,
        sms = _SMS,
        file = file,
        find = find,
        replace = replace,
        caught_as = caught_as,
        nth = 1,
        count = 1,
        arch = "compute_90a",
    )

def _ampere(file, find, replace, caught_as, nth = 1, count = 1, case = _AMPERE_CASE):
    return struct(
        source = _AMPERE,
        suite = "ampere",
        row = _AMPERE_ROW,
        case = case,
        sms = _SMS,
        file = file,
        find = find,
        replace = replace,
        caught_as = caught_as,
        nth = nth,
        count = count,
        arch = "compute_80",
    )

# name: what is wrong, and what the report must call it (FindingKind's words, or "wrong result" where the kernel is in order
# but for what it computes). Several words: any of them.
MUTANTS = {
    # The ring of stages.
    "consumer_does_not_wait": _hopper(
        "hopper/pipeline.cuh",
        "device::ptx::WaitParity(&shared.full[at.stage], at.phase);",
        "",
        ["unwaited copy"],
    ),
    "consumer_waits_for_the_wrong_phase": _hopper(
        "hopper/pipeline.cuh",
        "device::ptx::WaitParity(&shared.full[at.stage], at.phase);",
        "device::ptx::WaitParity(&shared.full[at.stage], at.phase ^ 1);",
        ["unwaited copy", "deadlock"],
    ),
    "producer_does_not_wait": _hopper(
        "hopper/pipeline.cuh",
        "device::ptx::WaitParity(&shared.empty[at.stage], at.phase ^ 1);",
        "",
        ["barrier misuse", "unwaited copy"],
    ),
    "producer_waits_for_the_wrong_phase": _hopper(
        "hopper/pipeline.cuh",
        "device::ptx::WaitParity(&shared.empty[at.stage], at.phase ^ 1);",
        "device::ptx::WaitParity(&shared.empty[at.stage], at.phase);",
        ["deadlock"],
    ),
    "stage_released_early": _hopper(
        "hopper/main_loop.cuh",
        "    device::ptx::WgmmaWait<1>();",
        "    device::ptx::WgmmaWait<2>();",
        ["overwritten in flight", "unwaited copy"],
    ),
    "stage_released_twice": _hopper(
        "hopper/pipeline.cuh",
        "if (arrives) device::ptx::ArriveCluster(first_empty + stage * 8);",
        "if (arrives) device::ptx::ArriveCluster(first_empty + stage * 8), device::ptx::ArriveCluster(first_empty + stage * 8);",
        ["barrier misuse", "deadlock", "unwaited copy"],
    ),
    "stage_never_released": _hopper(
        "hopper/pipeline.cuh",
        "if (arrives) device::ptx::ArriveCluster(first_empty + stage * 8);",
        "",
        ["deadlock"],
    ),
    "too_few_bytes_announced": _hopper(
        "hopper/producer.cuh",
        "(a_rows_ + b_rows_) * C::kSwizzleBytes)",
        "(a_rows_ + b_rows_) * C::kSwizzleBytes - 1024)",
        ["deadlock"],
        nth = 2,
        count = 2,
    ),
    "too_many_bytes_announced": _hopper(
        "hopper/producer.cuh",
        "(a_rows_ + b_rows_) * C::kSwizzleBytes)",
        "(a_rows_ + b_rows_) * C::kSwizzleBytes + 1024)",
        ["deadlock"],
        nth = 2,
        count = 2,
    ),
    "peer_left_out_of_the_multicast": _hopper(
        "hopper/producer.cuh",
        "const unsigned same_column = ((1u << C::kClusterM) - 1) << (rank_n_ * C::kClusterM);",
        "const unsigned same_column = 1u << (rank_m_ + rank_n_ * C::kClusterM);",
        ["deadlock"],
    ),
    "slices_in_each_others_place": _hopper(
        "hopper/producer.cuh",
        "operand + in_tile * 128;",
        "operand + i * kRowsPerBox * 128;",
        ["unwaited copy"],
    ),

    # Rows that no box brings.
    "unloaded_rows_not_cleared": _hopper(
        "hopper/kernel.cuh",
        "    ClearUnloadedRows(params, shared, rank, threadIdx.x - 128);\n",
        "",
        ["read of unwritten shared memory"],
        case = _HOPPER_FEW_ROWS,
    ),
    "cleared_rows_not_fenced": _hopper(
        "hopper/consumer.cuh",
        "  device::ptx::FenceSharedForAsync();\n  device::ptx::SyncThreads",
        "  device::ptx::SyncThreads",
        ["missing proxy fence"],
        case = _HOPPER_FEW_ROWS,
    ),
    "cleared_rows_not_waited_for": _hopper(
        "hopper/consumer.cuh",
        "  device::ptx::SyncThreads(1, C::kConsumerThreads);\n",
        "",
        ["overwritten in flight"],
        case = _HOPPER_FEW_ROWS,
    ),
    "slice_beyond_the_edge_loaded": _hopper(
        "hopper/producer.cuh",
        "    if (in_tile >= rows) continue;\n",
        "",
        ["unwaited copy"],
        case = _HOPPER_FEW_ROWS,
    ),

    # Beginning and end.
    "barrier_init_not_fenced": _hopper(
        "hopper/kernel.cuh",
        "      InitPipeline(shared);\n      device::ptx::FenceBarrierInit();\n",
        "      InitPipeline(shared);\n",
        ["barrier misuse"],
    ),
    "no_barrier_after_init": _hopper(
        "hopper/kernel.cuh",
        "    if constexpr (!kAlone) device::ptx::ClusterWait();\n    if (is_producer) {\n",
        "    if (is_producer) {\n",
        ["barrier misuse"],
    ),
    "cta_leaves_before_its_peer": _hopper(
        "hopper/kernel.cuh",
        "      if constexpr (!kAlone) producer.Drain();\n",
        "",
        ["cluster exit"],
    ),
    "registers_not_given_back": _hopper(
        "hopper/kernel.cuh",
        "device::ptx::ReleaseRegisters<C::kProducerRegisters>();",
        "",
        ["register budget exceeded"],
    ),

    # wgmma.
    "accumulators_read_before_the_wait": _hopper(
        "hopper/main_loop.cuh",
        "    device::ptx::WgmmaWait<0>();",
        "",
        ["accumulator in flight"],
    ),
    "wrong_swizzle_of_the_operands": _hopper(
        "common/device/ptx/wgmma.cuh",
        "cuda::std::uint64_t{1} << 62",
        "cuda::std::uint64_t{2} << 62",
        ["wrong result"],
    ),

    # The epilogue.
    "no_proxy_fence_before_the_store": _hopper(
        "hopper/epilogue.cuh",
        "    if (has_rest) StoreRest<Type>(row, column, tile.batch, at);\n    device::ptx::FenceSharedForAsync();\n",
        "    if (has_rest) StoreRest<Type>(row, column, tile.batch, at);\n",
        ["missing proxy fence"],
    ),
    "epilogue_buffer_reused_early": _hopper(
        "hopper/epilogue.cuh",
        "if (lane_ == 0) device::ptx::WaitStoresRead<C::kChunkBuffers - 1>();",
        "if (lane_ == 0) device::ptx::WaitStoresRead<C::kChunkBuffers>();",
        ["overwritten in flight"],
        case = _HOPPER_MANY_TILES,
    ),
    "store_not_waited_for_at_the_end": _hopper(
        "hopper/epilogue.cuh",
        "void Finish() {\n    if (lane_ == 0) device::ptx::WaitStoresRead<0>();\n",
        "void Finish() {\n",
        ["cluster exit"],
    ),
    "lanes_not_joined_before_the_store": _hopper(
        "hopper/epilogue.cuh",
        "    device::ptx::FenceSharedForAsync();\n    __syncwarp();\n    if (lane_ == 0) {\n",
        "    device::ptx::FenceSharedForAsync();\n    if (lane_ == 0) {\n",
        ["overwritten in flight"],
    ),
    "c_used_before_it_came": _hopper(
        "hopper/epilogue.cuh",
        "        if (!params_.c_by_threads) device::ptx::WaitParity(&c_full_[buffer], Phase(0));\n",
        "",
        ["unwaited copy"],
        beta = 1,
    ),
    "c_overwritten_before_all_have_read_it": _hopper(
        "hopper/epilogue.cuh",
        "      if constexpr (WithC) __syncwarp();\n",
        "",
        ["race"],
        beta = 1,
    ),
    "c_loaded_over_a_store": _hopper(
        "hopper/epilogue.cuh",
        "      device::ptx::WaitStoresRead<0>();\n      const int columns",
        "      const int columns",
        ["overwritten in flight"],
        beta = 1,
        case = _HOPPER_MANY_TILES,
    ),
    "threads_store_before_all_have_written": _hopper(
        "hopper/epilogue.cuh",
        "    __syncwarp();\n#pragma unroll 1\n    for (int i = 0; i < count; ++i) {\n",
        "#pragma unroll 1\n    for (int i = 0; i < count; ++i) {\n",
        ["race"],
        case = _HOPPER_ODD_CASE,
    ),
    "threads_store_past_the_last_row": _hopper(
        "hopper/epilogue.cuh",
        "if (r < rows && at_column + kPerWord <= columns)",
        "if (r <= rows && at_column + kPerWord <= columns)",
        ["out of bounds"],
        case = _HOPPER_ODD_CASE,
    ),
    "odd_rows_stored_unshifted": _hopper(
        "hopper/epilogue.cuh",
        "__byte_perm(word, __shfl_down_sync(0xffffffffu, word, 1), 0x5432)",
        "__shfl_down_sync(0xffffffffu, word, 1)",
        ["wrong result"],
        case = _HOPPER_ODD_CASE,
    ),
    "c_loaded_by_threads_over_a_store": _hopper(
        "hopper/epilogue.cuh",
        "    if (lane_ == 0) device::ptx::WaitStoresRead<0>();\n    __syncwarp();\n#pragma unroll 1\n",
        "#pragma unroll 1\n",
        ["overwritten in flight"],
        beta = 1,
        case = _HOPPER_MANY_TILES + " ldc=+1",
    ),
    "wrong_swizzle_of_the_epilogue": _hopper(
        "hopper/epilogue.cuh",
        "const unsigned unit = (2 * i + lane_ / 16) ^ (row % 8);",
        "const unsigned unit = (2 * i + lane_ / 16) ^ (row % 4);",
        ["wrong result"],
    ),

    # Consumers that take turns.
    "turn_not_waited_for": _pingpong(
        "hopper/pingpong.cuh",
        "    WaitTurn(shared, consumer, number);\n",
        "",
        ["unwaited copy"],
    ),
    "turn_waited_for_in_the_wrong_phase": _pingpong(
        "hopper/pingpong.cuh",
        "(tile / 2 ^ consumer ^ 1) & 1",
        "(tile / 2 ^ consumer) & 1",
        ["deadlock", "unwaited copy", "read of unwritten shared memory"],
    ),
    "turn_not_passed": _pingpong(
        "hopper/pingpong.cuh",
        "    PassTurn(shared, consumer, lane);\n",
        "",
        ["deadlock"],
    ),
    "the_others_stages_not_skipped": _pingpong(
        "hopper/pingpong.cuh",
        "      main_loop.Skip(tile.steps);\n",
        "",
        ["deadlock", "unwaited copy", "barrier misuse"],
    ),
    "stages_released_by_both_consumers": _pingpong(
        "hopper/shared.cuh",
        "4 * C::kReaders",
        "4 * C::kConsumers",
        ["deadlock"],
    ),

    # K shared by the CTAs of a cluster.
    "skinny_stage_released_before_the_wait": _skinny(
        "hopper/skinny/consumer.cuh",
        "    device::ptx::WgmmaWait<C::kKeepsBatch ? 1 : 0>();\n    if constexpr (!C::kKeepsBatch) ReleaseStage(shared, at.stage, thread % 32);\n",
        "    if constexpr (!C::kKeepsBatch) ReleaseStage(shared, at.stage, thread % 32);\n    device::ptx::WgmmaWait<C::kKeepsBatch ? 1 : 0>();\n",
        ["overwritten in flight", "unwaited copy"],
    ),
    "skinny_narrow_rows_not_cleared": _skinny(
        "hopper/skinny/producer.cuh",
        "  ClearRows<C>(shared.narrow[0][0], C::kNarrowBoxBytes, params.narrow_box, C::kNarrow, thread);\n",
        "",
        ["read of unwritten shared memory"],
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
    ),
    "skinny_others_rows_stored_again": _skinny(
        "hopper/skinny/epilogue.cuh",
        "tile.batch, tile.wide_others, 0}",
        "tile.batch, 0, 0}",
        ["wrong result"],
        case = _SKINNY_IN_PLACE_CASE,
    ),
    "skinny_others_columns_stored_again": _skinny(
        "hopper/skinny/epilogue.cuh",
        "max(mine_.first * 8, tile.narrow_others)",
        "mine_.first * 8",
        ["wrong result"],
        case = _SKINNY_IN_PLACE_CASE,
    ),
    "skinny_peers_not_waited_for": _skinny(
        "hopper/skinny/consumer.cuh",
        "  if (params.split > 1) device::ptx::ClusterWait();\n",
        "",
        ["barrier misuse"],
    ),
    "skinny_too_few_sums_announced": _skinny(
        "hopper/skinny/reduction.cuh",
        "(split_ - 1) * Unit(1, 0, 0) * 16",
        "(split_ - 1) * Unit(1, 0, 0) * 8",
        ["unwaited copy", "deadlock"],
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
        "      SyncConsumers(true);\n      StoreUnits(tile);\n",
        "      StoreUnits(tile);\n",
        ["race", "read of unwritten shared memory"],
    ),
    "skinny_columns_staged_over_unread_ones": _skinny(
        "hopper/skinny/epilogue.cuh",
        "      SyncConsumers(tiles_ != 0);  // the tile before has been read\n",
        "",
        ["race"],
        case = _SKINNY_WIDE_CASE,
    ),
    "skinny_sums_staged_over_unread_ones": _skinny(
        "hopper/skinny/epilogue.cuh",
        "      SyncConsumers(true);  // the round before has been read\n",
        "",
        ["race"],
        case = _SKINNY_WIDE_CASE + " out=fp32",
    ),

    # cp.async.
    "copy_waited_for_one_tile_late": _ampere(
        "ampere/pipeline.cuh",
        "device::ptx::CpAsyncWait<kAhead - 1>();",
        "device::ptx::CpAsyncWait<kAhead>();",
        ["unwaited copy"],
    ),
    "no_barrier_after_the_wait": _ampere(
        "ampere/pipeline.cuh",
        "    device::ptx::CpAsyncWait<kAhead - 1>();\n    __syncthreads();\n",
        "    device::ptx::CpAsyncWait<kAhead - 1>();\n",
        ["unwaited copy"],
    ),
    "copy_into_the_stage_being_read": _ampere(
        "ampere/pipeline.cuh",
        "write_stage_ = kAhead;",
        "write_stage_ = 0;",
        ["unwaited copy"],
    ),
    "staging_over_unread_fragments": _ampere(
        "ampere/pipeline.cuh",
        "      near_end();\n    }\n    __syncthreads();\n",
        "      near_end();\n    }\n",
        ["race"],
        case = "136 136 304 in=bf16 fill=integers",  # the last tile lies where the staging begins
    ),
    "wrong_swizzle_of_the_fragments": _ampere(
        "ampere/consumer.cuh",
        "offset ^ (i << 5)",
        "offset + (i << 5)",
        ["unwaited copy"],
    ),
    "staging_read_before_all_lanes_wrote": _ampere(
        "ampere/epilogue.cuh",
        "      StagePart<0>(sums, first, staging);\n      __syncwarp();\n",
        "      StagePart<0>(sums, first, staging);\n",
        ["race"],
    ),
    "writes_past_the_last_row": _ampere(
        "ampere/epilogue.cuh",
        "if (first + row >= rows_left_ || col >= cols_left_) continue;",
        "if (first + row > rows_left_ || col >= cols_left_) continue;",
        ["out of bounds"],
    ),
}

# A mutant takes 0.9 s of compiling, and another 1.4 s for the headers in front of it (2026-11-22): so many share those.
_MUTANTS_IN_A_FILE = 10

def _specification(m):
    specification = {"source": m.source}
    if m.file:
        specification.update({
            "count": m.count,
            "file": m.file,
            "find": m.find,
            "nth": m.nth,
            "replace": m.replace,
        })
    return specification

def _compile(name, mutants, arch):
    """Makes <mutant>.ptx of each of `mutants`, a dictionary, by one call of the compiler."""
    native.genrule(
        name = name + "_json",
        outs = [name + ".json"],
        cmd = "cat >$@ <<'END_OF_JSON'\n%s\nEND_OF_JSON" % json.encode({
            mutant: _specification(m)
            for mutant, m in mutants.items()
        }).replace("$", "$$"),
    )
    native.genrule(
        name = name + "_source",
        srcs = [
            name + ".json",
            "//ampere:device_sources",
            "//common/base:math_header",
            "//common/device:device_sources",
            "//hopper:device_sources",
        ],
        outs = [name + ".cu"],
        cmd = "$(location mutate.py) $@ $(location %s.json)" % name,
        tools = ["mutate.py"],
    )
    cuda_kernels(
        name = name,
        srcs = [name + ".cu"],
        ptx = [arch],
        sm = [],
        tags = ["manual"],
    )
    native.genrule(
        name = name + "_split",
        srcs = [":%s_ptx" % name],
        outs = [mutant + ".ptx" for mutant in mutants],
        cmd = "$(location split_ptx.py) $< $(OUTS)",
        tools = ["split_ptx.py"],
    )

def mutants(name):
    """Makes each mutant's PTX, `<name>_ptx_files`, and the list <name>.txt of what the test expects of it.

    A line of the list: name, file, suite, row, case, multiprocessors and the names of findings separated by |, with tabs between them.
    Those without findings are kernels as they are: they must pass.
    """
    whole = {
        "none_hopper": _hopper(None, "", "", []),
        "none_hopper_with_c": _hopper(None, "", "", [], beta = 1),
        "none_hopper_with_many_tiles": _hopper(None, "", "", [], beta = 1, case = _HOPPER_MANY_TILES),
        "none_hopper_with_an_odd_d": _hopper(None, "", "", [], case = _HOPPER_ODD_CASE),
        "none_hopper_with_an_odd_c": _hopper(None, "", "", [], beta = 1, case = _HOPPER_ODD_CASE + " ldc=+1"),
        "none_pingpong": _pingpong(None, "", "", [], beta = 1),
        "none_skinny": _skinny(None, "", "", []),
        "none_skinny_wide": _skinny(None, "", "", [], case = _SKINNY_WIDE_CASE),
        "none_skinny_with_c": _skinny(None, "", "", [], case = _SKINNY_WIDE_CASE + " out=fp32 beta=1 cmode=distinct"),
        "none_skinny_in_place": _skinny(None, "", "", [], case = _SKINNY_IN_PLACE_CASE),
        "none_ampere": _ampere(None, "", "", []),
    }
    all = dict(whole)
    all.update(MUTANTS)

    # The kernels as they are have several cases each.
    first_of = {}
    ptx_of = {
        mutant: first_of.setdefault(json.encode([_specification(m), m.arch]), mutant)
        for mutant, m in all.items()
    }
    for arch in ["compute_80", "compute_90a"]:
        of_arch = [mutant for mutant in first_of.values() if all[mutant].arch == arch]
        for first in range(0, len(of_arch), _MUTANTS_IN_A_FILE):
            _compile(
                name = "%s_%s_%d" % (name, arch, first // _MUTANTS_IN_A_FILE),
                mutants = {mutant: all[mutant] for mutant in of_arch[first:first + _MUTANTS_IN_A_FILE]},
                arch = arch,
            )
    native.genrule(
        name = name + "_list",
        outs = [name + ".txt"],
        cmd = "cat >$@ <<'END_OF_LIST'\n%s\nEND_OF_LIST" % "\n".join([
            "\t".join([mutant, ptx_of[mutant] + ".ptx", m.suite, m.row, m.case, str(m.sms), "|".join(m.caught_as)])
            for mutant, m in all.items()
        ]),
    )
    native.filegroup(
        name = name + "_ptx_files",
        srcs = [mutant + ".ptx" for mutant in first_of.values()],
    )
