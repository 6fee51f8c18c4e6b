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

    tools/gemm/calibrate/forest.py --onto common/correction/forest.inc --out common/correction/forest.inc TIMES.csv...

leaves the trees of a table as they are, and learns COLUMNS_TREES more of what they leave of products with an operand by columns between
plain edges: a choice of other products stays what it was.
"""

import argparse
import math
import re

import lightgbm
import numpy
import pandas

NOT_FEATURES = ["device", "product", "layout", "batch", "row", "us", "file", "few", "weights", "log_predicted", "weight", "corrected", "in_chains", "target", "by_table"]
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
COLUMNS_TREES = 40
COLUMNS_LEAVES = 48
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
    """M, N and K."""
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
        # Products of the same sizes that differ in layout or batch are none to choose between.
        part["product"] = path + " " + part["product"] + " " + part["layout"] + " x" + part["batch"].astype(str)
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


def boost(times, features, trees, rate, leaves=PARAMETERS["num_leaves"]):
    data = lightgbm.Dataset(times[features], numpy.zeros(len(times)))
    how = {"learning_rate": rate, "num_leaves": leaves, "objective": squares_within_products(times)}
    return lightgbm.train(PARAMETERS | how, data, num_boost_round=trees)


class Table:
    """A forest as it was written."""

    def __init__(self, path):
        with open(path) as file:
            text = file.read()

        def numbers_of(name):
            return [float(number) for number in re.findall(r"[-+.\de]+", re.search(name + r"\[?\]? = \{?([^;]*?)\}?;", text)[1])]

        self.nodes = [tuple(int(number) for number in node) for node in re.findall(r"\{(\d+),(\d+),(-?\d+)\}", text)]
        self.roots = [int(root) for root in numbers_of("kRoots")]
        self.units = numbers_of("kUnits") + numbers_of("kLeafUnit")
        self.of_all, self.early = (int(numbers_of(name)[0]) for name in ("kTreesOfAllLaunches", "kTreesOfEarlyOnes"))

    def predict(self, features):
        """By the trees of all launches."""
        values = features.to_numpy()
        return sum(self.leaves(root, values) for root in self.roots[: self.of_all]) * self.units[-1]

    def leaves(self, root, values):
        feature, right, value = (numpy.array(column) for column in zip(*self.nodes))
        units = numpy.array(self.units)
        at = numpy.full(len(values), root)
        while (inner := feature[at] != LEAF).any():
            of = numpy.where(inner, feature[at], 0)
            goes_left = values[numpy.arange(len(values)), of] <= value[at] * units[of]
            at = numpy.where(inner, numpy.where(goes_left, at + 1, at + right[at]), at)
        return value[at].astype(float)


def learn_columns(times, features):
    return boost(times.assign(target=times["target"] - times["by_table"]), features, COLUMNS_TREES, RATE, COLUMNS_LEAVES)


def report_columns(times, features, folds):
    def loss_by(correction):
        return losses(times, correction.where(times["corrected"], 0.0)).mean()

    then = []
    for seed in range(3):
        fold = folds_of(times, folds, seed)
        correction = times["by_table"].copy()
        for i in range(folds):
            correction[fold == i] += learn_columns(times[fold != i], features).predict(times.loc[fold == i, features])
        then.append(loss_by(correction))
    count = times["product"].nunique()
    print(f"by columns: the choice loses {100 * loss_by(times['by_table']):.2f}%, {100 * numpy.mean(then):.2f}% of {count} products that the new trees did not see")


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


def folds_of(times, folds, seed):
    """Each time's fold: products of two folds share no pair of N and K."""
    kinds = times["weights"].unique()
    numpy.random.RandomState(seed).shuffle(kinds)
    return times["weights"].map({kind: i % folds for i, kind in enumerate(kinds)})


def held_back(times, features, trees, folds, seed):
    """The correction of each time by a forest that saw no product with its N and K."""
    fold = folds_of(times, folds, seed)
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
    trees = [[nodes_of(tree["tree_structure"]) for tree in forest.dump_model()["tree_info"]] for forest in forests]
    units = units_of(sum(sum(trees, []), []), forests[0].num_feature())
    groups = [[[(feature, right, in_units(feature, value, units)) for feature, right, value in tree] for tree in group] for group in trees]
    write_table(path, groups, units)


def write_onto(path, table, forest):
    ends = table.roots[1:] + [len(table.nodes)]
    old = [table.nodes[root:end] for root, end in zip(table.roots, ends)]
    units = table.units
    new = [
        [(feature, right, max(-32767, min(in_units(feature, value, units), 32767))) for feature, right, value in nodes_of(tree["tree_structure"])]
        for tree in forest.dump_model()["tree_info"]
    ]
    write_table(path, [old[: table.of_all], old[table.of_all : table.of_all + table.early], new], units)


def write_table(path, groups, units):
    nodes, roots = [], []
    for tree in sum(groups, []):
        assert len(nodes) < 65536, "dispatch::Forest::roots has sixteen bits"
        roots.append(len(nodes))
        nodes += tree
    counts = [len(group) for group in groups] + [0] * (3 - len(groups))
    with open(path, "w") as out:
        out.write("// Made by tools/gemm/calibrate/forest.py of the times in docs/perf/calibrate/; features are numbered as in features.h.\n")
        out.write("constexpr dispatch::ForestNode kNodes[] = {\n")
        write_wrapped(out, [f"{{{feature},{right},{value}}}" for feature, right, value in nodes])
        out.write("};\nconstexpr std::uint16_t kRoots[] = {\n")
        write_wrapped(out, [str(root) for root in roots])
        out.write("};\nconstexpr float kUnits[] = {\n")
        write_wrapped(out, [f"{unit:.6g}f" for unit in units[:-1]])
        out.write(f"}};\nconstexpr float kLeafUnit = {units[-1]:.6g}f;\n")
        out.write("// The first trees are of all launches, the next of those that may read B early, the last of those with an operand by columns.\n")
        for name, count in zip(["AllLaunches", "EarlyOnes", "Columns"], counts):
            out.write(f"constexpr std::size_t kTreesOf{name} = {count};\n")


def write_wrapped(out, texts):
    line = "   "
    for text in texts:
        if len(line) + len(text) + 2 > 120:
            out.write(line + "\n")
            line = "   "
        line += " " + text + ","
    out.write(line + "\n")


def learn_onto(times, features, arguments):
    table = Table(arguments.onto)
    by_columns = (times["mn_major"] > 0).groupby(times["product"]).transform("any")
    times = times[by_columns & ~times["in_chains"]].reset_index(drop=True)
    times["by_table"] = table.predict(times[features].fillna(0))
    if arguments.folds:
        report_columns(times, features, arguments.folds)
    if arguments.out:
        write_onto(arguments.out, table, learn_columns(times, features))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("times", nargs="+", metavar="TIMES.csv", help="of gemm calibrate --features")
    parser.add_argument("--settled", nargs="*", default=[], metavar="TIMES.csv", help="the same, of bursts of 10 ms")
    parser.add_argument("--long", nargs="*", default=[], metavar="TIMES.csv", help="the same, of bursts of 15 ms and more")
    parser.add_argument("--pieces", nargs="*", default=[], metavar="TIMES.csv", help="those of before transposes left in panels")
    parser.add_argument("--late", nargs="*", default=[], metavar="TIMES.csv", help="chains of before transposed kernels read A early")
    parser.add_argument("--onto", metavar="TABLE", help="learn the trees of operands by columns alone, and keep the others of this table")
    parser.add_argument("--out", help="the table to write")
    parser.add_argument("--trees", type=int, default=200)
    parser.add_argument("--folds", type=int, default=6, help="0: report nothing")
    arguments = parser.parse_args()
    times = read(arguments.times, arguments.settled, arguments.long, arguments.pieces, arguments.late)
    features = features_of(times)
    if arguments.onto:
        learn_onto(times, features, arguments)
        return
    if arguments.folds:
        report(times, features, arguments.trees, arguments.folds)
    if arguments.out:
        write(arguments.out, learn(times, features, arguments.trees))


if __name__ == "__main__":
    main()
