#!/usr/bin/python3
"""usage: sweep_plot.py REPORT.json... --out docs/perf/plots/NAME [--by shape|ring] [--columns N]

Draws reports of `gemm sweep --out REPORT.json`: a heat map for each product, whose cells are the TFLOP/s of the fastest kernel of that
kind, the best one framed. Reports of one product are put together. Writes NAME-light.svg and NAME-dark.svg, for pages of either
background. The same reports give the same bytes.

--by shape (default): tile over a thread's elements and the slices of K. --by ring: columns of K in a stage and number of stages, over the
blocks (tile, threads) that were timed with several.
Needs matplotlib: Debian's and Ubuntu's python3-matplotlib.
"""
import re
import sys
from collections import defaultdict

import figures

NAME = re.compile(
    r"(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)_t(?P<tm>\d+)x(?P<tn>\d+)_w(?P<wm>\d+)x(?P<wn>\d+)x(?P<slices>\d+)"
    r"_s(?P<stages>\d+)_c(?P<ctas>\d+)_(?P<order>rows|columns)(_p(?P<parts>\d+))?$"
)


class Kernel:
    """A shape that was timed."""

    def __init__(self, name, tflops):
        found = NAME.match(name)
        if found is None:
            sys.exit(f"sweep_plot.py: {name} is no shape's name")
        value = {key: int(text) for key, text in found.groupdict().items() if key != "order" and text}
        self.name, self.tflops = name, tflops
        self.area = value["m"] * value["n"]
        self.tile = f"{value['m']}x{value['n']}"
        self.thread = (value["tm"] * value["tn"], value["slices"], f"{value['tm']}x{value['tn']}")
        self.ring = (value["k"], value["stages"])
        self.block = f"{self.tile}, {value['tm']}x{value['tn']} a thread" + (
            f", {value['slices']} slices" if value["slices"] > 1 else ""
        )


class Product:
    """A product with its kernels; `ours` and `rival` are TFLOP/s, None without."""

    def __init__(self, label):
        self.label, self.kernels, self.ours, self.rival = label, [], None, None

    def best(self):
        return max(self.kernels, key=lambda kernel: kernel.tflops)


def label_of(case):
    sizes = (case["m"], case["n"], case["k"])
    return case["layout"] + " " + (f"{sizes[0]}³" if len(set(sizes)) == 1 else "x".join(map(str, sizes)))


def products_of(reports):
    products = {}
    for case in (case for report in reports for case in report["cases"]):
        product = products.setdefault(label_of(case), Product(label_of(case)))
        flops = 2.0 * case["m"] * case["n"] * case["k"] * case.get("batch", 1)
        for entrant in case["entrants"]:
            if "median_us" not in entrant:
                continue
            tflops = flops / entrant["median_us"] * 1e-6
            if entrant["side"] == "shape":
                product.kernels.append(Kernel(entrant["name"], tflops))
            elif entrant["side"] == "ours":
                product.ours = max(tflops, product.ours or 0)
            else:
                product.rival = max(tflops, product.rival or 0)
    return [product for product in products.values() if product.kernels]


def thread_label(thread):
    return thread[2] + (f"\nx{thread[1]}" if thread[1] > 1 else "")


def cells_of(product, by):
    """The fastest kernel by (row, column): two keys that sort, and their words."""
    cells = {}
    for kernel in product.kernels:
        if by == "shape":
            key = ((-kernel.area, kernel.tile), kernel.thread)
        else:
            key = ((-kernel.area, kernel.block), kernel.ring)
        if key not in cells or cells[key].tflops < kernel.tflops:
            cells[key] = kernel
    if by == "ring":
        rings = defaultdict(set)
        for row, ring in cells:
            rings[row].add(ring)
        cells = {key: kernel for key, kernel in cells.items() if len(rings[key[0]]) > 2}
    return cells


def draw_panel(axes, product, by, top, foreground):
    from matplotlib.patches import Rectangle

    cells = cells_of(product, by)
    rows = sorted({row for row, _ in cells})
    columns = sorted({column for _, column in cells})
    values = [[float("nan")] * len(columns) for _ in rows]
    for (row, column), kernel in cells.items():
        values[rows.index(row)][columns.index(column)] = kernel.tflops
    axes.imshow(values, cmap="viridis", vmin=0, vmax=top, aspect="auto")
    best = max(cells.values(), key=lambda kernel: kernel.tflops)
    for (row, column), kernel in cells.items():
        x, y = columns.index(column), rows.index(row)
        color = "#000000" if kernel.tflops > 0.6 * top else "#ffffff"
        weight = "bold" if kernel is best else "normal"
        axes.text(x, y, f"{kernel.tflops:.1f}", ha="center", va="center", fontsize=7.5, color=color, weight=weight)
        if kernel is best:
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, edgecolor="#D55E00", linewidth=2.2))
    axes.set_yticks(range(len(rows)), [row[1] for row in rows])
    if by == "shape":
        axes.set_xticks(range(len(columns)), [thread_label(column) for column in columns])
        axes.set_xlabel("elements of a thread; xS: S slices of K in a CTA", fontsize=8)
        axes.set_ylabel("tile, M x N")
    else:
        axes.set_xticks(range(len(columns)), [f"{depth}\ns{stages}" for depth, stages in columns])
        axes.set_xlabel("columns of K in a stage, stages", fontsize=8)
    axes.tick_params(labelsize=7.5, length=0)
    axes.spines[:].set_visible(False)
    others = [f"{name} {value:.1f}" for name, value in (("libgemm", product.ours), ("cuBLASLt", product.rival)) if value]
    axes.set_title(
        f"{product.label}: best {best.tflops:.1f}" + (f" ({', '.join(others)})" if others else "") + f"\n{best.name}",
        fontsize=8.5,
        color=foreground,
    )


def draw(products, by, columns, title, pyplot, theme):
    from matplotlib import colors

    foreground = figures.BACKGROUNDS[theme][0]
    top = max(product.best().tflops for product in products)
    lines = (len(products) + columns - 1) // columns
    figure, grid = pyplot.subplots(
        lines, columns, figsize=(6.2 * columns, 0.6 + 3.6 * lines), layout="constrained", squeeze=False
    )
    panels = [axes for line in grid for axes in line]
    for axes in panels:
        axes.set_facecolor("none")
    for axes, product in zip(panels, products):
        draw_panel(axes, product, by, top, foreground)
    for axes in panels[len(products):]:
        axes.set_visible(False)
    scale = pyplot.cm.ScalarMappable(norm=colors.Normalize(0, top), cmap="viridis")
    figure.colorbar(scale, ax=panels, label="TFLOP/s", fraction=0.02, pad=0.01)
    figure.suptitle(title, fontsize=10.5)
    return figure


def main(arguments):
    parser = figures.parser_of("heat maps of gemm sweep's JSON reports")
    parser.add_argument("--by", choices=["shape", "ring"], default="shape")
    parser.add_argument("--columns", type=int, default=2, help="of panels")
    options = parser.parse_args(arguments)
    reports = figures.read_reports(options.reports, "sweep", entrants=list)
    products = products_of(reports)
    if options.by == "ring":
        products = [product for product in products if cells_of(product, "ring")]
    if not products:
        sys.exit("sweep_plot.py: the reports hold no shape that could be drawn")
    title = f"FP32 kernels by {options.by}, TFLOP/s: " + ", ".join(figures.origin_of(reports))
    columns = max(1, min(options.columns, len(products)))
    figures.draw_both(
        options.out, lambda pyplot, theme: draw(products, options.by, columns, title, pyplot, theme), {"font.size": 9}
    )


if __name__ == "__main__":
    main(sys.argv[1:])
