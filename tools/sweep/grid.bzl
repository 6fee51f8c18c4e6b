"""The shapes of the FP32 kernels that gemm-sweep times."""

# (tile, thread, warps, slices), each m, n: common/simt/config.h says what they are. A tile's shape with its warps and its threads is
# what the sweep is about; how deep the ring is, how many CTAs an SM holds and in which order the FFMAs stand follows below.
_BLOCKS = [
    # 128 sums a thread: the fewest reads of shared memory, and the fewest warps.
    ((256, 128), (16, 8), (8, 1), 1),
    ((256, 128), (16, 8), (4, 2), 1),
    ((128, 256), (8, 16), (2, 4), 1),
    ((128, 256), (8, 16), (1, 8), 1),
    ((128, 128), (16, 8), (2, 2), 1),
    ((128, 128), (16, 8), (4, 1), 1),
    ((128, 128), (8, 16), (2, 2), 1),
    ((128, 128), (16, 8), (2, 2), 2),
    ((128, 64), (16, 8), (2, 1), 2),
    ((128, 64), (16, 8), (2, 1), 4),
    ((64, 128), (16, 8), (1, 2), 2),
    ((64, 128), (16, 8), (1, 2), 4),

    # 64
    ((128, 128), (8, 8), (4, 2), 1),
    ((128, 128), (8, 8), (2, 4), 1),
    ((128, 64), (8, 8), (4, 1), 1),
    ((128, 64), (8, 8), (2, 2), 1),
    ((128, 64), (8, 8), (4, 1), 2),
    ((64, 128), (8, 8), (1, 4), 1),
    ((64, 128), (8, 8), (2, 2), 1),
    ((64, 128), (8, 8), (1, 4), 2),
    ((64, 128), (8, 8), (2, 2), 2),
    ((32, 128), (8, 8), (1, 2), 2),
    ((32, 128), (8, 8), (1, 2), 4),
    ((64, 64), (8, 8), (2, 1), 1),
    ((64, 64), (8, 8), (1, 2), 1),
    ((64, 64), (8, 8), (1, 2), 2),
    ((64, 64), (8, 8), (2, 1), 4),
    ((64, 64), (8, 8), (1, 2), 4),
    ((64, 32), (8, 8), (1, 1), 4),
    ((64, 32), (8, 8), (1, 1), 8),
    ((32, 64), (8, 8), (1, 1), 4),
    ((32, 64), (8, 8), (1, 1), 8),

    # 32
    ((64, 64), (8, 4), (2, 2), 1),
    ((64, 64), (4, 8), (2, 2), 1),
    ((64, 64), (8, 4), (2, 2), 2),
    ((32, 128), (4, 8), (1, 4), 1),
    ((32, 64), (8, 4), (1, 2), 4),
    ((32, 64), (4, 8), (2, 1), 4),
    ((64, 32), (8, 4), (2, 1), 4),
    ((32, 32), (8, 4), (1, 1), 4),
    ((32, 32), (8, 4), (1, 1), 8),

    # 16: the most warps.
    ((32, 64), (4, 4), (1, 4), 1),
    ((32, 64), (4, 4), (1, 4), 2),
    ((32, 64), (4, 4), (1, 4), 4),
    ((32, 32), (4, 4), (1, 2), 4),
]

# Blocks that are timed with rings of every kind.
_DEEP = [
    ((256, 128), (16, 8), (8, 1), 1),
    ((128, 128), (8, 8), (4, 2), 1),
    ((64, 128), (8, 8), (1, 4), 1),
    ((64, 64), (8, 8), (1, 2), 4),
    ((32, 64), (8, 8), (1, 1), 8),
]

# Threads of an SM among whom the registers go round, by sums of a thread.
_THREADS = {128: 256, 64: 512, 32: 768, 16: 1024}

_SHARED_BYTES_OF_SM = 227 * 1024
_SHARED_BYTES_RESERVED = 1024  # for each CTA

def _copies_fit(extent, depth, threads):
    """Whether the threads tile a panel, K-major and MN-major: RingPanel."""
    lines = min(threads // 8, extent)
    columns = threads // lines
    vectors = extent // 4
    return (threads % lines == 0 and extent % lines == 0 and depth % columns == 0 and
            threads % vectors == 0 and depth % (threads // vectors) == 0 and threads >= vectors)

def _shapes(block, depth, stages, orders):
    """Pairs of a name and the arguments of RingShape: a block with such rings. None where the copies do not fit.

    An SM holds as many CTAs as its registers and shared memory allow. Where that may leave a thread short of registers, there
    is the shape with one CTA less, too.
    """
    tile, thread, warps, slices = block
    threads = 32 * warps[0] * warps[1] * slices
    if not _copies_fit(tile[0], depth, threads) or not _copies_fit(tile[1], depth, threads):
        return []
    ring = stages * depth * (tile[0] + 4 + tile[1] + 4) * 4
    shared = max(ring, slices * tile[0] * tile[1] * 4 if slices > 1 else 0) + _SHARED_BYTES_RESERVED
    ctas = min(_THREADS[thread[0] * thread[1]] // threads, _SHARED_BYTES_OF_SM // shared)
    shapes = []
    for fewer in [0, 1] if ctas > 2 and slices == 1 else [0]:
        for order in orders if ctas > 0 else []:
            name = "%dx%dx%d_t%dx%d_w%dx%dx%d_s%d_c%d_%s" % (
                tile + (depth,) + thread + warps + (slices, stages, ctas - fewer, order)
            )
            arguments = (ctas - fewer,) + tile + (depth,) + thread + warps + (slices, stages, "k%sFirst" % order.title())
            shapes.append((name, arguments))
    return shapes

def full_grid():
    """All shapes, no name twice."""
    grid = {}
    for block in _BLOCKS:
        for depth in {1: [16], 2: [16, 32], 4: [32], 8: [32, 64]}[block[3]]:
            grid.update(_shapes(block, depth, 3, ["rows", "columns"]))
    for block in _DEEP:
        for depth in [8, 16, 32]:
            for stages in [2, 3, 4] if depth >= 2 * block[3] else []:
                grid.update(_shapes(block, depth, stages, ["rows"]))
    return sorted(grid.items())

def small_grid():
    """Two shapes, for tests."""
    return _shapes(((32, 64), (8, 8), (1, 1), 4), 32, 3, ["rows"]) + _shapes(((32, 32), (8, 4), (1, 1), 4), 32, 3, ["columns"])
