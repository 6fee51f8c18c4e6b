#!/usr/bin/env python3
"""Writes products of LLM engines to learn the correction of predicted times from, as a shape file for gemm calibrate.

    tools/gemm/calibrate/products.py 140 --seed 7 --except tools/shapes/*.txt > products.txt
    gemm calibrate --shapes products.txt --report --within 1.1 --out times.json

A product has the weights of one of MODELS, whole or of one of 2, 4 or 8 tensor-parallel ranks, and tokens: half of the products as
many as engines capture graphs for (1, 2, 4, and every 8 up to 512), the others any number, log-uniform from --least to --most. Weights
(N and K) of the files after --except are left out, whatever their layout and tokens, so that what is learned can be judged by them. The
same seed gives the same list.
"""

import argparse
import math
import random
import sys

# hidden size, of the MLP, of all query heads and of all key heads. Written from memory (2026-11-28): for sizes as engines have them, not to
# describe the models.
MODELS = {
    "Llama-2-13B": (5120, 13824, 5120, 5120),
    "Llama-3.2-1B": (2048, 8192, 2048, 512),
    "Llama-3.2-3B": (3072, 8192, 3072, 1024),
    "Llama-3.1-405B": (16384, 53248, 16384, 1024),
    "Mistral-Small-24B": (5120, 32768, 4096, 1024),
    "Mistral-Large-123B": (12288, 28672, 12288, 1024),
    "Mixtral-8x22B": (6144, 16384, 6144, 1024),
    "Qwen2.5-0.5B": (896, 4864, 896, 128),
    "Qwen2.5-1.5B": (1536, 8960, 1536, 256),
    "Qwen2.5-3B": (2048, 11008, 2048, 256),
    "Qwen2.5-7B": (3584, 18944, 3584, 512),
    "Qwen2.5-14B": (5120, 13824, 5120, 1024),
    "Qwen2.5-32B": (5120, 27648, 5120, 1024),
    "Qwen2.5-72B": (8192, 29568, 8192, 1024),
    "Qwen3-8B": (4096, 12288, 4096, 1024),
    "Qwen3-14B": (5120, 17408, 5120, 1024),
    "Qwen3-32B": (5120, 25600, 8192, 1024),
    "Gemma-2-9B": (3584, 14336, 4096, 2048),
    "Gemma-2-27B": (4608, 36864, 4096, 2048),
    "Gemma-3-12B": (3840, 15360, 4096, 2048),
    "Gemma-3-27B": (5376, 21504, 4096, 2048),
    "Phi-3-mini": (3072, 8192, 3072, 3072),
    "Phi-4": (5120, 17920, 5120, 1280),
    "Yi-34B": (7168, 20480, 7168, 1024),
    "Command-R": (8192, 22528, 8192, 8192),
}
RANKS = [1, 2, 4, 8]
CAPTURED = [1, 2, 4] + list(range(8, 513, 8))
ALIGNED = 8  # elements of 16 bits that start rows at multiples of 16 bytes


def weights(least_extent):
    """(N, K) of every model's linear layers on every number of ranks."""
    found = set()
    for hidden, mlp, queries, keys in MODELS.values():
        for ranks in RANKS:
            of_rank = [(queries + 2 * keys) // ranks, 2 * mlp // ranks]
            found |= {(n, hidden) for n in of_rank} | {(hidden, k) for k in (queries // ranks, mlp // ranks)}
    return sorted((n, k) for n, k in found if min(n, k) >= least_extent and n % ALIGNED == 0 and k % ALIGNED == 0)


def listed(paths):
    """The (N, K) of shape files."""
    found = set()
    for path in paths:
        with open(path) as lines:
            words = [line.split("#")[0].split() for line in lines]
        found |= {tuple(int(size) for size in word[2:4]) for word in words if len(word) >= 4}
    return found


def tokens(chance, least, most):
    if chance.random() < 0.5:
        return chance.choice([m for m in CAPTURED if least <= m <= most] or [least])
    return round(math.exp(chance.uniform(math.log(least), math.log(most))))


def products(count, seed, least, most, flop, pairs):
    if not pairs:
        return []
    chance = random.Random(seed)
    chosen = []
    for _ in range(1000 * count):
        if len(chosen) == count:
            break
        n, k = chance.choice(pairs)
        product = (tokens(chance, least, most), n, k)
        if product in chosen or not flop[0] <= 2 * math.prod(product) <= flop[1]:
            continue
        chosen.append(product)
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layout", choices=["nk", "kn"], default="nk", help="how B is stored")
    parser.add_argument("--least", type=int, default=1, metavar="M")
    parser.add_argument("--most", type=int, default=8192, metavar="M")
    parser.add_argument("--least-extent", type=int, default=128, help="of N and K")
    parser.add_argument("--least-flop", type=float, default=0, help="of a product")
    parser.add_argument("--most-flop", type=float, default=5e10, help="of a product: what takes 80 us wants longer bursts")
    parser.add_argument("--except", dest="excluded", nargs="*", default=[], metavar="SHAPE_FILE")
    arguments = parser.parse_args()
    if arguments.count < 1 or not 1 <= arguments.least <= arguments.most:
        parser.error("COUNT is at least 1, and --least from 1 to --most")
    excluded = listed(arguments.excluded)
    pairs = [pair for pair in weights(arguments.least_extent) if pair not in excluded]
    made = products(arguments.count, arguments.seed, arguments.least, arguments.most,
                    (arguments.least_flop, arguments.most_flop), pairs)
    if len(made) < arguments.count:
        sys.exit(f"there are but {len(made)} such products")
    for product in made:
        print(arguments.layout, *product)


if __name__ == "__main__":
    main()
