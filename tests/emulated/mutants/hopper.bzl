"""The tiled Hopper kernels with one mistake each, and as they are; shared_k.bzl has how CTAs share K."""

load(":mutant.bzl", "hopper_mutant", "mutant")

_COOPERATIVE = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kCooperative, 128, 128, 6, 2, 1)\n'
# Without a cluster, whose barrier would order more.
_ALONE = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kCooperative, 128, 128, 6, 1, 1)\n'
_SQUARE = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kCooperative, 64, 64, 12, 2, 2)\n'
_IN_RING = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kCooperative, 192, 144, 5, 1, 1)\n'
_SECTORS = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kCooperative, 64, 144, 8, 1, 1)\n'
_EIGHTS = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kCooperative, 128, 88, 7, 1, 1)\n'
_PINGPONG = '#include "hopper/instantiate.cuh"\nGEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, kPingpong, 128, 128, 6, 2, 1)\n'

# Fewer rows of A and of B than a tile; a CTA beyond the edge.
_HOPPER_FEW_ROWS = "40 24 584 in=bf16 fill=integers"

# Four tiles for each CTA, 24 K blocks for a ring of 6 stages; tails in every direction.
_HOPPER_CASE = "264 136 328 in=bf16 fill=integers"

# The same with a D that is stored as it lies (sector_store.cuh).
_HOPPER_EVEN_CASE = "264 144 328 in=bf16 fill=integers"

# A last step of 40 k.
_HOPPER_RAGGED_CASE = "264 136 360 in=bf16 fill=integers"

# More tiles than a CTA's epilogue has buffers, for two clusters: five for each CTA.
_MANY_TILES_SMS = 4
_HOPPER_MANY_TILES = "136 144 200 batch=5 in=bf16 fill=integers"

# One of the cases that the suite launches programmatically, with weights asked for early (kernel_suite.cc).
_HOPPER_EARLY_CASE = "264 136 336 in=bf16 fill=integers"

# A D that the threads store.
_HOPPER_ODD_CASE = "264 135 328 in=bf16 fill=integers"

# Four tiles for one cluster of 2x2, in the last two of which two CTAs lie beyond D; 16 K blocks for a ring of 12 stages.
_SQUARE_CASE = "136 200 1000 in=bf16 fill=integers"

# The same, and in the last one a CTA lies beyond both edges.
_SQUARE_CORNER_CASE = "136 136 2000 in=bf16 fill=integers"

# Several tiles for each consumer: three or five for each CTA.
_PINGPONG_CASE = "136 8 456 batch=3 in=bf16 fill=integers"
_PINGPONG_CASE_WITH_C = "136 8 264 batch=5 in=bf16 beta=1 cmode=distinct fill=integers"

def _hopper(file, find, replace, caught_as, nth = 1, count = 1, beta = 0, case = _HOPPER_CASE, alone = False):
    return mutant(
        source = _ALONE if alone else _COOPERATIVE,
        suite = "hopper",
        row = "hopper_bf16_kk_128x128x64_s6_c1x1" if alone else "hopper_bf16_kk_128x128x64_s6_c2x1",
        case = case + (" beta=%d cmode=distinct" % beta if beta else ""),
        arch = "compute_90a",
        file = file,
        find = find,
        replace = replace,
        caught_as = caught_as,
        sms = _MANY_TILES_SMS if case.startswith(_HOPPER_MANY_TILES) else 2,
        nth = nth,
        count = count,
    )

def _square(*mistake):
    return hopper_mutant(_SQUARE, "hopper_bf16_kk_64x64x64_s12_c2x2", _SQUARE_CASE, 4, mistake)

def _square_corner(*mistake):
    return hopper_mutant(_SQUARE, "hopper_bf16_kk_64x64x64_s12_c2x2", _SQUARE_CORNER_CASE, 4, mistake)

# An epilogue that takes the ring's place, of two of three consumers, behind more K steps than the ring has stages.
def _in_ring(*mistake, beta = 0):
    case = "120 248 648 in=bf16 fill=integers" + (" beta=%d cmode=distinct" % beta if beta else "")
    return hopper_mutant(_IN_RING, "hopper_bf16_kk_192x144x64_s5_c1x1", case, 2, mistake)

# A tile's last eight columns: several tiles beside one another, each CTA with more than one.
def _eights(*mistake):
    return hopper_mutant(_EIGHTS, "hopper_bf16_kk_128x88x64_s7_c1x1", "136 272 136 in=bf16 fill=integers", 2, mistake)

# Several tiles for each CTA, whose rows start within a sector by turns, and a last row without a pair.
def _sectors(*mistake):
    return hopper_mutant(_SECTORS, "hopper_bf16_kk_64x144x64_s8_c1x1", "137 264 72 batch=3 in=bf16 fill=integers", 2, mistake)

def _pingpong(*mistake, beta = 0):
    case = _PINGPONG_CASE_WITH_C if beta else _PINGPONG_CASE
    return hopper_mutant(_PINGPONG, "hopper_bf16_kk_128x128x64_s6_c2x1_pp", case, 2, mistake)

HOPPER_KERNELS = {
    "none_hopper": _hopper(None, "", "", []),
    "none_hopper_alone": _hopper(None, "", "", [], alone = True),
    "none_hopper_with_c": _hopper(None, "", "", [], beta = 1),
    "none_hopper_with_many_tiles": _hopper(None, "", "", [], beta = 1, case = _HOPPER_MANY_TILES),
    "none_hopper_early": _hopper(None, "", "", [], case = _HOPPER_EARLY_CASE),
    "none_hopper_with_an_odd_d": _hopper(None, "", "", [], case = _HOPPER_ODD_CASE),
    "none_hopper_with_an_odd_c": _hopper(None, "", "", [], beta = 1, case = _HOPPER_ODD_CASE + " ldc=+1"),
    "none_square": _square(None, "", "", []),
    "none_square_corner": _square_corner(None, "", "", []),
    "none_sectors": _sectors(None, "", "", []),
    "none_in_ring": _in_ring(None, "", "", []),
    "none_in_ring_with_c": _in_ring(None, "", "", [], beta = 1),
    "none_eights": _eights(None, "", "", []),
    "none_pingpong": _pingpong(None, "", "", [], beta = 1),
}

HOPPER_MUTANTS = {
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
        "if (arrives) device::ptx::ArriveCluster(first_empty_ + stage * 8);",
        "if (arrives) device::ptx::ArriveCluster(first_empty_ + stage * 8), device::ptx::ArriveCluster(first_empty_ + stage * 8);",
        ["barrier misuse", "deadlock", "overwritten in flight", "unwaited copy"],
    ),
    "stage_never_released": _hopper(
        "hopper/pipeline.cuh",
        "if (arrives) device::ptx::ArriveCluster(first_empty_ + stage * 8);",
        "",
        ["deadlock"],
    ),
    "too_few_bytes_announced": _hopper(
        "hopper/producer.cuh",
        "static_cast<unsigned>(a_rows_ + b_rows_) * of_row;",
        "static_cast<unsigned>(a_rows_ + b_rows_) * of_row - 1024;",
        ["deadlock"],
    ),
    "too_many_bytes_announced": _hopper(
        "hopper/producer.cuh",
        "static_cast<unsigned>(a_rows_ + b_rows_) * of_row;",
        "static_cast<unsigned>(a_rows_ + b_rows_) * of_row + 1024;",
        ["deadlock"],
    ),
    "early_stage_announced_again": _hopper(
        "hopper/producer.cuh",
        "      kOfA ? LoadA<false>(tile, step_) : LoadB<false>(tile, step_);",
        "      if (kOfA) Announce(step_, false);\n      kOfA ? LoadA<false>(tile, step_) : LoadB<false>(tile, step_);",
        ["barrier misuse", "deadlock"],
        case = _HOPPER_EARLY_CASE,
    ),
    "early_stage_without_a": _hopper(
        "hopper/producer.cuh",
        "      of_a = !of_a;\n      step_ = 0;",
        "      of_a = !of_a;\n      step_ = 1;",
        ["deadlock"],
        case = _HOPPER_EARLY_CASE,
    ),
    "peer_left_out_of_the_multicast": _hopper(
        "hopper/loaders.cuh",
        "0 : first_column << (first_ + column_ * cluster_.m);",
        "0 : 1u << (first_ + row_ + column_ * cluster_.m);",
        ["deadlock"],
    ),
    "rows_of_a_sent_to_another_row_of_the_cluster": _square(
        "hopper/loaders.cuh",
        "0 : first_row << (first_ + row_);",
        "0 : first_row;",
        ["unwaited copy"],
    ),
    "columns_of_b_sent_to_another_column_of_the_cluster": _square(
        "hopper/loaders.cuh",
        "0 : first_column << (first_ + column_ * cluster_.m);",
        "0 : first_column;",
        ["unwaited copy"],
    ),
    "box_loaded_by_every_cta": _square(
        "hopper/loaders.cuh",
        "return RowThatLoadsB(stage) == row_;",
        "return true;",
        ["barrier misuse", "deadlock", "overwritten in flight", "unwaited copy"],
    ),
    "box_loaded_by_none": _square(
        "hopper/loaders.cuh",
        "return ColumnThatLoadsA(stage) == column_;",
        "return false;",
        ["barrier misuse", "deadlock"],
    ),
    "peers_not_waited_for": _square(
        "hopper/loaders.cuh",
        "return kOwnReaders * (1 + (others >> 4 * (stage % 8) & 15));",
        "return kOwnReaders;",
        ["barrier misuse", "deadlock", "overwritten in flight", "unwaited copy"],
    ),
    "stage_handed_back_to_the_wrong_peer": _square(
        "hopper/loaders.cuh",
        ": Every(cluster_.n) << FirstStageOfA(row_, ColumnOfPeer(peer));",
        ": Every(cluster_.n) << (FirstStageOfA(row_, ColumnOfPeer(peer)) + 1 & (cluster_.n - 1));",
        ["barrier misuse", "deadlock", "overwritten in flight", "unwaited copy"],
    ),

    # An epilogue in the ring.
    "first_chunks_of_c_not_asked_for": _in_ring(
        "hopper/epilogue.cuh",
        "        LoadC(tile, chunk, columns);\n      }\n    }\n    __syncwarp();\n  }\n\n  // The 16-bit output",
        "      }\n    }\n    __syncwarp();\n  }\n\n  // The 16-bit output",
        ["deadlock"],
        beta = 1,
    ),

    # A tile's last eight columns.
    "last_columns_not_staged": _eights(
        "hopper/chunk_conversion.cuh",
        "device::ptx::StoreMatrix2(to, words[4 * i], words[4 * i + 1]);",
        ";",
        ["wrong result", "read of unwritten shared memory"],
    ),

    # D by whole sectors.
    "sectors_written_over_those_that_leave": _sectors(
        "hopper/sector_store.cuh",
        "device::ptx::WaitStoresRead<C::kChunkBuffers - 1>();",
        ";",
        ["overwritten in flight"],
    ),
    "sectors_sent_without_a_proxy_fence": _sectors(
        "hopper/sector_store.cuh",
        "    device::ptx::FenceSharedForAsync();\n",
        "",
        ["missing proxy fence"],
    ),
    "sectors_sent_before_all_lanes_have_written": _sectors(
        "hopper/sector_store.cuh",
        "    device::ptx::FenceSharedForAsync();\n    __syncwarp();\n",
        "    device::ptx::FenceSharedForAsync();\n",
        ["overwritten in flight", "race", "missing proxy fence"],
    ),
    "off_rows_sent_to_their_neighbours_columns": _sectors(
        "hopper/sector_store.cuh",
        "chunk * kColumns - (is_off ? Shift(chunk) : 0);\n        if",
        "chunk * kColumns;\n        if",
        ["wrong result", "race"],
    ),
    "off_rows_first_columns_left_out": _sectors(
        "hopper/sector_store.cuh",
        "    if (chunk > 0) WriteStart(at, acc, chunk, off);\n",
        "",
        ["wrong result"],
    ),
    "off_rows_first_columns_written_beside_what_they_replace": _sectors(
        "hopper/sector_store.cuh",
        "    __syncwarp();\n#pragma unroll\n    for (int half = 0;",
        "#pragma unroll\n    for (int half = 0;",
        ["race"],
    ),
    "last_columns_of_off_rows_left_out": _sectors(
        "hopper/sector_store.cuh",
        "      StoreEnd(tile, row, acc[block], IsOff(off));\n",
        "",
        ["wrong result"],
    ),
    "last_row_without_a_pair_left_out": _sectors(
        "hopper/sector_store.cuh",
        "          StoreLastRow(tile, row, chunk, off, at);\n",
        "",
        ["wrong result"],
    ),
    "last_row_read_before_all_lanes_have_written": _sectors(
        "hopper/sector_store.cuh",
        "    __syncwarp();\n    const int last = params_.m - 1;\n",
        "    const int last = params_.m - 1;\n",
        ["race"],
    ),

    # Last steps narrower than the others.
    "last_step_multiplied_whole": _hopper(
        "hopper/consumer.cuh",
        "main_loop.Last(params.last_slices, acc);",
        "main_loop.Last(C::kWgmmaSteps, acc);",
        ["wrong result", "read of unwritten shared memory"],
        case = _HOPPER_RAGGED_CASE,
    ),
    "last_step_announced_whole": _hopper(
        "hopper/producer.cuh",
        "const unsigned of_row = ragged ? params_.last_slices",
        "const unsigned of_row = false ? params_.last_slices",
        ["deadlock"],
        case = _HOPPER_RAGGED_CASE,
    ),
    "last_step_a_slice_short": _hopper(
        "hopper/main_loop.cuh",
        "if (static_cast<unsigned>(k) >= slices) break;",
        "if (static_cast<unsigned>(k) + 1 >= slices) break;",
        ["wrong result"],
        case = _HOPPER_RAGGED_CASE,
    ),
    "narrow_boxes_in_whole_steps": _hopper(
        "hopper/producer.cuh",
        "const unsigned bytes = Bytes(false);\n      const OperandTile a = A(false);\n      const OperandTile b = B(false);",
        "const unsigned bytes = Bytes(true);\n      const OperandTile a = A(true);\n      const OperandTile b = B(true);",
        ["wrong result", "read of unwritten shared memory"],
        case = _HOPPER_RAGGED_CASE,
    ),

    # Rows that no box brings.
    "box_beyond_the_edge_loaded": _hopper(
        "hopper/producer.cuh",
        "    if (in_tile >= tile.rows) continue;\n",
        "",
        ["deadlock", "unwaited copy"],
        case = _HOPPER_FEW_ROWS,
    ),

    # Beginning and end.
    "barrier_init_not_fenced": _hopper(
        "hopper/kernel.cuh",
        "      InitFirst(shared);\n      device::ptx::FenceBarrierInit();\n",
        "      InitFirst(shared);\n",
        ["barrier misuse"],
    ),
    "consumers_set_out_before_the_producers_barriers_stand": _hopper(
        "hopper/consumer.cuh",
        "  Opening<C::kConsumerThreads>::WaitForProducer();\n",
        "",
        ["barrier misuse"],
        alone = True,
    ),
    "producer_goes_on_before_the_consumers_barriers_stand": _hopper(
        "hopper/kernel.cuh",
        "    CtaOpening::WaitForConsumers();\n",
        "",
        ["barrier misuse"],
        alone = True,
    ),
    "no_barrier_after_init": _hopper(
        "hopper/kernel.cuh",
        "  if (!alone) device::ptx::ClusterWait();\n  if (producer_warp) {\n",
        "  if (producer_warp) {\n",
        ["barrier misuse"],
    ),
    "cta_leaves_before_its_peer": _hopper(
        "hopper/kernel.cuh",
        "      producer.Drain();\n",
        "",
        ["cluster exit"],
    ),
    "registers_not_given_back": _hopper(
        "hopper/kernel.cuh",
        "device::ptx::ReleaseRegisters<C::kProducerRegisters>();",
        ";",
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
        "    if (has_rest) ByThreads<Element>().StoreRest(row, column, tile.batch, at);\n    device::ptx::FenceSharedForAsync();\n",
        "    if (has_rest) ByThreads<Element>().StoreRest(row, column, tile.batch, at);\n",
        ["missing proxy fence"],
        case = _HOPPER_EVEN_CASE,
    ),
    "epilogue_buffer_reused_early": _hopper(
        "hopper/epilogue.cuh",
        "if (device::ptx::ElectOne()) device::ptx::WaitStoresRead<C::kChunkBuffers - 1>();",
        "if (device::ptx::ElectOne()) device::ptx::WaitStoresRead<C::kChunkBuffers>();",
        ["overwritten in flight"],
        case = _HOPPER_MANY_TILES,
    ),
    "store_not_waited_for_at_the_end": _hopper(
        "hopper/epilogue.cuh",
        "void Finish() {\n    if (device::ptx::ElectOne()) device::ptx::WaitStoresRead<0>();\n",
        "void Finish() {\n",
        ["cluster exit"],
    ),
    "lanes_not_joined_before_the_store": _hopper(
        "hopper/epilogue.cuh",
        "    device::ptx::FenceSharedForAsync();\n    __syncwarp();\n    if (device::ptx::ElectOne()) {\n",
        "    device::ptx::FenceSharedForAsync();\n    if (device::ptx::ElectOne()) {\n",
        ["overwritten in flight"],
        nth = 2,
        count = 2,
        case = _HOPPER_EVEN_CASE,
    ),
    "lanes_not_joined_before_the_last_store": _hopper(
        "hopper/epilogue.cuh",
        "    device::ptx::FenceSharedForAsync();\n    __syncwarp();\n    if (device::ptx::ElectOne()) {\n",
        "    device::ptx::FenceSharedForAsync();\n    if (device::ptx::ElectOne()) {\n",
        ["overwritten in flight"],
        count = 2,
    ),
    "no_proxy_fence_before_the_last_store": _hopper(
        "hopper/epilogue.cuh",
        "    }\n    device::ptx::FenceSharedForAsync();\n",
        "    }\n",
        ["missing proxy fence"],
    ),
    "chunks_staged_in_a_ring_that_is_loaded": _hopper(
        "hopper/consumer.cuh",
        "epilogue.Store(tile, acc, !by_owners && !scheduler.HasNext());",
        "epilogue.Store(tile, acc, true);",
        ["overwritten in flight", "race", "unwaited copy"],
    ),
    "c_used_before_it_came": _hopper(
        "hopper/epilogue.cuh",
        "        if (!params_.c_by_threads) device::ptx::WaitParity(&c_full_[buffer], chunks_.Phase(0));\n",
        "",
        ["unwaited copy"],
        beta = 1,
    ),
    "c_overwritten_before_all_have_read_it": _hopper(
        "hopper/chunk_conversion.cuh",
        "  if constexpr (WithC) __syncwarp();\n",
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
        "hopper/thread_chunks.cuh",
        "    __syncwarp();\n#pragma unroll 1\n    for (int i = 0; i < count; ++i) {\n",
        "#pragma unroll 1\n    for (int i = 0; i < count; ++i) {\n",
        ["race"],
        case = _HOPPER_ODD_CASE,
    ),
    "threads_store_past_the_last_row": _hopper(
        "hopper/thread_chunks.cuh",
        "if (r < rows && at_column + kPerWord <= columns)",
        "if (r <= rows && at_column + kPerWord <= columns)",
        ["out of bounds"],
        case = _HOPPER_ODD_CASE,
    ),
    "odd_rows_stored_unshifted": _hopper(
        "hopper/thread_chunks.cuh",
        "__byte_perm(word, __shfl_down_sync(0xffffffffu, word, 1), 0x5432)",
        "__shfl_down_sync(0xffffffffu, word, 1)",
        ["wrong result"],
        case = _HOPPER_ODD_CASE,
    ),
    "c_loaded_by_threads_over_a_store": _hopper(
        "hopper/thread_chunks.cuh",
        "    if (device::ptx::ElectOne()) device::ptx::WaitStoresRead<0>();\n    __syncwarp();\n#pragma unroll 1\n",
        "#pragma unroll 1\n",
        ["overwritten in flight"],
        beta = 1,
        case = _HOPPER_MANY_TILES + " ldc=+1",
    ),
    "wrong_swizzle_of_the_epilogue": _hopper(
        "hopper/chunk_conversion.cuh",
        "const unsigned unit = (2 * i + lane / 16) ^ (row % 8);",
        "const unsigned unit = (2 * i + lane / 16) ^ (row % 4);",
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
        "hopper/loaders.cuh",
        "4 * C::kReaders",
        "4 * C::kConsumers",
        ["deadlock"],
    ),
}
