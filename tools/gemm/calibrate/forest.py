#!/usr/bin/env python3
"""Learns the correction of predicted times, common/correction/forest.inc, from measured ones.

    gemm calibrate --report --from TIMES.json --features TIMES.csv      for each file of times
    tools/gemm/calibrate/forest.py --out common/correction/forest.inc TIMES.csv... --settled TIMES.csv... --long TIMES.csv... \
        --pieces TIMES.csv... --late TIMES.csv...

Gradient boosting by LightGBM (of PyPI, as NumPy and pandas are). It learns the logarithm of measured over predicted time up to a number
of each product's own, which the choice does not ask for: the trees and these numbers together have the least squares. Rows without
features have no correction, which ties that number down. Rows that are predicted to be far behind a product's fastest count little.
Products of LONG_US and more count only from the files after --long, whose bursts are of 15 ms and more: in shorter ones a kernel
does not meet the power limit as it does in a long run. Files after --settled have bursts of 10 ms, in which shorter products
meet it too; they count SETTLED_WEIGHT times, and so do files of small products in shorter bursts (settled36 to 54).
Products of a few rows count FEW_WEIGHTS. Times of programmatic chains in which B may be read early are left to EARLY_TREES more trees,
which learn what the others leave of them and are for such launches alone. Files after --pieces are among the others too: they were
timed when every transpose of D left in pieces of 32 bytes (until 2026-11-27). Of a row that stores panels since, the time that the
model gave those pieces is taken off (PANELS). So are files after --late: of chains in which transposed kernels read nothing early
(until 2026-11-29). The times of such rows that do now (ASK_FOR_A_EARLY) are left out.

Prints what the choice by predictions loses, as they are and corrected, on products that a forest did not see: those of a fold share
no pair of N and K with those that it saw. The forest that is written has seen all.
"""

import argparse
import math

import lightgbm
import numpy
import pandas

NOT_FEATURES = ["device", "product", "row", "us", "file", "few", "weights", "log_predicted", "weight", "corrected", "in_chains", "target"]
LEAF = 255  # dispatch::ForestNode::kLeaf
LONG_US = 80
# hopper/cost.h's transposed_bytes_per_us; what rows that own their tiles are spared, but for ping-pong, which hid it: there the transpose
# took 0.999 of its twin's time (80 products, H100s, 2026-11-25).
PIECES_BYTES_PER_US = 9e6
PANELS = r"^hopper_(?:bf16|fp16)_kk_\d.*(?<!_sk)(?<!_ck)(?<!_pk)(?<!_pp)_t$"
ASK_FOR_A_EARLY = r"(?<!_pk)_t$|_c1x1_pk_t$"  # hopper/early_operand.h
# A row predicted to take 1 + x times the fastest one counts exp(-WEIGHT_FALL x).
WEIGHT_FALL = 8
SETTLED_WEIGHT = 2
# (the lesser of M and N up to, times that such products count), the least first: few of them were timed, but they scatter least.
FEW_WEIGHTS = [(4, 3), (8, 2)]
H100_WEIGHT = 1.2  # an eighth of the products are of H100s; docs/perf/hopper/predictors.md, "Few rows", has what it is worth
RATE = 0.15
EARLY_TREES = 25
EARLY_RATE = 0.2
PARAMETERS = {
    "num_leaves": 127,
    "min_data_in_leaf": 20,
    "lambda_l2": 5,
    "max_bin": 255,
    "seed": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
}


def sizes_of(part):
    """M, N, K and, where there is one, the batch."""
    return part["product"].str.split("x", expand=True).astype(float)


def spare_pieces(part):
    sizes = sizes_of(part)
    d_bytes = 2 * sizes[0] * sizes[1]  # D has the type of A and B in these files, of 16 bits
    part["us"] -= (d_bytes / PIECES_BYTES_PER_US).where(part["row"].str.contains(PANELS), 0.0)


def read(paths, settled_paths, long_paths, pieces_paths, late_paths):
    """The times of all files, with the columns that learning wants."""
    parts = []
    for path in paths + settled_paths + long_paths:
        part = pandas.read_csv(path)
        part["file"] = path
        if path in pieces_paths:
            spare_pieces(part)
        if path in late_paths:
            part = part[~part["row"].str.contains(ASK_FOR_A_EARLY)].copy()
        part["few"] = sizes_of(part)[[0, 1]].min(axis=1)
        part["weights"] = part["product"].str.split("x", n=1).str[1]  # N and K
        part["product"] = path + " " + part["product"]
        least = part.groupby("product")["us"].transform("min")
        parts.append(part if path in long_paths else part[least < LONG_US])
    times = pandas.concat(parts, ignore_index=True)
    rows = times.groupby("product")["row"].transform("count")
    times = times[rows > 1].reset_index(drop=True)  # of one row there is nothing to choose
    times["log_predicted"] = times["log_us"] * numpy.log(2)
    products = times["product"]
    ahead = times["log_predicted"] - times.groupby(products)["log_predicted"].transform("min")
    times["weight"] = numpy.exp(-WEIGHT_FALL * (numpy.exp(ahead) - 1))
    times["corrected"] = times[features_of(times)[-1]].notna()
    times["in_chains"] = (times["early"] > 0).groupby(products).transform("any")  # rows without a correction have no features
    times["target"] = numpy.log(times["us"]) - times["log_predicted"]
    times.loc[times["file"].isin(settled_paths), "weight"] *= SETTLED_WEIGHT
    times["weight"] *= numpy.select([times["few"] <= most for most, _ in FEW_WEIGHTS], [weight for _, weight in FEW_WEIGHTS], 1)
    times.loc[times["device"].str.contains("H100"), "weight"] *= H100_WEIGHT
    return times


def features_of(times):
    return [column for column in times.columns if column not in NOT_FEATURES]


def learn(times, features, trees):
    """Two forests: of all launches, and of what it leaves of those in chains, where there are any."""
    between_plain_edges = boost(times[~times["in_chains"]], features, trees, RATE)
    in_chains = times[times["in_chains"]]
    if in_chains.empty:
        return [between_plain_edges]
    left = in_chains.assign(target=in_chains["target"] - predict([between_plain_edges], in_chains, features))
    return [between_plain_edges, boost(left, features, EARLY_TREES, EARLY_RATE)]


def predict(forests, times, features):
    """Each time's correction: by the first forest, of those in chains by the second too."""
    correction = forests[0].predict(times[features])
    of_chains = times["in_chains"].to_numpy()
    if len(forests) > 1 and of_chains.any():
        correction[of_chains] += forests[1].predict(times.loc[of_chains, features])
    return pandas.Series(correction, index=times.index).where(times["corrected"], 0.0)


def boost(times, features, trees, rate):
    data = lightgbm.Dataset(times[features], numpy.zeros(len(times)))
    how = {"learning_rate": rate, "objective": squares_within_products(times)}
    return lightgbm.train(PARAMETERS | how, data, num_boost_round=trees)


def squares_within_products(times):
    """The gradient of the squares that are left when each product's number is the best for the trees so far, and their weights."""
    product = pandas.factorize(times["product"])[0]
    weight = times["weight"].to_numpy()
    target = times["target"].to_numpy()
    corrected = times["corrected"].to_numpy()
    of_product = numpy.bincount(product, weight)

    def objective(correction, _):
        left = numpy.where(corrected, correction, 0.0) - target
        mean = numpy.bincount(product, weight * left) / of_product
        counts = numpy.where(corrected, weight, 0.0)
        return counts * (left - mean[product]), counts

    return objective


def losses(times, correction):
    """Of each product: the logarithm of the chosen row's time over the fastest one's."""
    score = times["log_predicted"] + correction
    chosen = times.loc[score.groupby(times["product"]).idxmin()].set_index("product")["us"]
    return numpy.log(chosen / times.groupby("product")["us"].min())


def held_back(times, features, trees, folds, seed):
    """The correction of each time by a forest that saw no product with its N and K."""
    kinds = times["weights"].unique()
    numpy.random.RandomState(seed).shuffle(kinds)
    fold = times["weights"].map({kind: i % folds for i, kind in enumerate(kinds)})
    correction = pandas.Series(0.0, index=times.index)
    for i in range(folds):
        correction[fold == i] = predict(learn(times[fold != i], features, trees), times[fold == i], features)
    return correction


def report(times, features, trees, folds):
    corrections = [held_back(times, features, trees, folds, seed) for seed in range(3)]
    now = losses(times, 0)
    then = sum(losses(times, correction) for correction in corrections) / len(corrections)
    files = times.groupby("product")["file"].first().loc[now.index]
    for name, of in [("all", files == files)] + [(name, files == name) for name in sorted(files.unique())]:
        print(f"{name}: the choice loses {100 * now[of].mean():.2f}%, corrected {100 * then[of].mean():.2f}% "
              f"of {of.sum()} products that the forest did not see")


def nodes_of(tree):
    """A tree of LightGBM's dump in preorder: (feature, right child, threshold or leaf's value)."""
    if "leaf_value" in tree:
        return [(LEAF, 0, tree["leaf_value"])]
    assert tree["decision_type"] == "<="
    left = nodes_of(tree["left_child"])
    right = nodes_of(tree["right_child"])
    assert len(left) < 255, "ForestNode::right has eight bits"
    return [(tree["split_feature"], 1 + len(left), tree["threshold"])] + left + right


def units_of(nodes, features):
    """Of each feature's thresholds and, last, of the leaves: what the largest of them is 32000 of."""
    largest = [max([abs(value) for feature, _, value in nodes if feature == i], default=0) for i in [*range(features), LEAF]]
    return [float(f"{max(value, 1e-3) / 32000:.6g}") for value in largest]


def in_units(feature, value, units):
    """As ForestNode::value. A threshold becomes up to a unit larger, so that a feature that equals it goes to the left."""
    return round(value / units[-1]) if feature == LEAF else math.floor(value / units[feature]) + 1


def write(path, forests):
    nodes, roots = [], []
    trees = [forest.dump_model()["tree_info"] for forest in forests]
    for tree in sum(trees, []):
        assert len(nodes) < 65536, "dispatch::Forest::roots has sixteen bits"
        roots.append(len(nodes))
        nodes += nodes_of(tree["tree_structure"])
    units = units_of(nodes, forests[0].num_feature())
    texts = [f"{{{feature},{right},{in_units(feature, value, units)}}}" for feature, right, value in nodes]
    with open(path, "w") as out:
        out.write("// Made by tools/gemm/calibrate/forest.py of the times in docs/perf/calibrate/; features are numbered as in features.h.\n")
        out.write("constexpr dispatch::ForestNode kNodes[] = {\n")
        write_wrapped(out, texts)
        out.write("};\nconstexpr std::uint16_t kRoots[] = {\n")
        write_wrapped(out, [str(root) for root in roots])
        out.write("};\nconstexpr float kUnits[] = {\n")
        write_wrapped(out, [f"{unit}f" for unit in units[:-1]])
        out.write(f"}};\nconstexpr float kLeafUnit = {units[-1]}f;\n")
        out.write("// The first trees are of all launches, the others of those that may read B early.\n")
        out.write(f"constexpr std::size_t kTreesOfAllLaunches = {len(trees[0])};\n")


def write_wrapped(out, texts):
    line = "   "
    for text in texts:
        if len(line) + len(text) + 2 > 120:
            out.write(line + "\n")
            line = "   "
        line += " " + text + ","
    out.write(line + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("times", nargs="+", metavar="TIMES.csv", help="of gemm calibrate --features")
    parser.add_argument("--settled", nargs="*", default=[], metavar="TIMES.csv", help="the same, of bursts of 10 ms")
    parser.add_argument("--long", nargs="*", default=[], metavar="TIMES.csv", help="the same, of bursts of 15 ms and more")
    parser.add_argument("--pieces", nargs="*", default=[], metavar="TIMES.csv", help="those of before transposes left in panels")
    parser.add_argument("--late", nargs="*", default=[], metavar="TIMES.csv", help="chains of before transposed kernels read A early")
    parser.add_argument("--out", help="the table to write")
    parser.add_argument("--trees", type=int, default=200)
    parser.add_argument("--folds", type=int, default=6, help="0: report nothing")
    arguments = parser.parse_args()
    times = read(arguments.times, arguments.settled, arguments.long, arguments.pieces, arguments.late)
    features = features_of(times)
    if arguments.folds:
        report(times, features, arguments.trees, arguments.folds)
    if arguments.out:
        write(arguments.out, learn(times, features, arguments.trees))


if __name__ == "__main__":
    main()
