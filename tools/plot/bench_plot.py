#!/usr/bin/python3
"""usage: bench_plot.py REPORT.json... --out docs/perf/plots/NAME [--lines means|weights] [--title TEXT]

Draws reports of `gemm bench --out REPORT.json` over M: the ratio to the rival's best in one panel, TFLOP/s in the other.
Writes NAME-light.svg and NAME-dark.svg, for pages of either background. The same reports give the same bytes.

--lines means (default): a line for each layout, type and kind of edges, through the geometric means over the products of
an M, with a band from the slowest to the fastest. --lines weights: a line for each N x K of several M.
Needs matplotlib: Debian's and Ubuntu's python3-matplotlib.
"""
import math
import sys
from collections import defaultdict

import figures


class Point:
    """One product: `ratio` is None where the report has no rival."""

    def __init__(self, m, ratio, tflops, rival_tflops):
        self.m, self.ratio, self.tflops, self.rival_tflops = m, ratio, tflops, rival_tflops


def edges_text(report):
    constant = report.get("constant_b", False)
    return report.get("edges", "plain") + " edges" + (", B constant" if constant else "")


def points_of(report):
    """(series, weights, point) of every product that was timed."""
    for case in report["cases"]:
        if "us" not in case:
            continue
        types = case["in"] if case["in"] == case["out"] else case["in"] + ">" + case["out"]
        series = (case["layout"], types, edges_text(report))
        ratio = case.get("ratio")
        rival = None if ratio is None else case["tflops"] / ratio
        weights = (case["n"], case["k"], case.get("batch", 1))
        yield series, weights, Point(case["m"], ratio, case["tflops"], rival)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def spread(values):
    """(geometric mean, least, greatest); None without values."""
    present = [value for value in values if value is not None]
    return (geometric_mean(present), min(present), max(present)) if present else None


class Line:
    """What is drawn in one colour. Each member of `points` is (m, ratio, tflops, rival tflops), the last three spreads."""

    def __init__(self, label, points):
        by_m = defaultdict(list)
        for point in points:
            by_m[point.m].append(point)
        self.label = label
        self.points = [
            (m, *(spread([getattr(p, name) for p in same]) for name in ("ratio", "tflops", "rival_tflops")))
            for m, same in sorted(by_m.items())
        ]


def make_lines(reports, by):
    groups = defaultdict(list)
    for report in reports:
        for series, weights, point in points_of(report):
            groups[series + (weights if by == "weights" else ())].append(point)
    # What all lines have in common need not be repeated in each label.
    differs = [len({key[i] for key in groups}) > 1 for i in range(3)]
    lines = []
    for key, points in sorted(groups.items()):
        if by == "weights" and len({point.m for point in points}) < 2:
            continue
        words = [word for word, tells in zip(key, differs) if tells]
        if by == "weights":
            n, k, batch = key[3:]
            words.append(f"{n} x {k}" + (f" x{batch}" if batch != 1 else ""))
        lines.append(Line(", ".join(words) or "libgemm", points))
    return lines


def common_text(reports):
    """What is the same everywhere, for the title."""
    series = {s for report in reports for s, _, _ in points_of(report)}
    words = [values.pop() for values in (set(column) for column in zip(*series)) if len(values) == 1]
    devices, dates = figures.origin_of(reports)
    return ", ".join([devices] + words + [dates])


# Okabe and Ito's colours, told apart by the colour-blind; each background leaves out what it swallows.
COLORS = {
    "light": ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#7A5195", "#8C6D00"],
    "dark": ["#56B4E9", "#E69F00", "#2FBF94", "#E58FBF", "#B79CF2", "#F0E442"],
}
MARKERS = "osD^vPX*"


def column(line, index, which):
    """(M, values) of one spread's member, without what is missing."""
    pairs = [(point[0], point[index][which]) for point in line.points if point[index] is not None]
    return [m for m, _ in pairs], [value for _, value in pairs]


def draw_panel(axes, line, index, color, marker, **style):
    m, mean = column(line, index, 0)
    if not m:
        return
    axes.plot(m, mean, color=color, marker=marker, markersize=4.5, **style)
    low, high = column(line, index, 1)[1], column(line, index, 2)[1]
    if low != high:
        axes.fill_between(m, low, high, color=color, alpha=0.15, linewidth=0)


SETTINGS = {"font.size": 10, "lines.linewidth": 1.6, "grid.linewidth": 0.6}


def draw(lines, title, pyplot, theme):
    from matplotlib import ticker

    foreground = figures.BACKGROUNDS[theme][0]
    colors = COLORS[theme]
    figure, (ratio, speed) = pyplot.subplots(1, 2, figsize=(10.5, 4.2), layout="constrained")
    for i, line in enumerate(lines):
        # Lines of one colour differ by their markers.
        style = {"color": colors[i % len(colors)], "marker": MARKERS[i // len(colors) % len(MARKERS)]}
        draw_panel(ratio, line, 1, label=line.label, **style)
        draw_panel(speed, line, 2, **style)
        m, rival = column(line, 3, 0)
        speed.plot(m, rival, color=style["color"], linestyle=(0, (2, 1.5)), linewidth=1.1)
    ratio.axhline(1, color=foreground, linewidth=0.9, linestyle=(0, (4, 3)))
    ratio.set_ylabel("times as fast as cuBLASLt's best of 8")
    speed.set_ylabel("TFLOP/s (dotted: cuBLASLt's best)")
    speed.set_yscale("log")
    speed.yaxis.set_major_locator(ticker.LogLocator(base=10, subs=(1, 2, 5)))
    speed.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    speed.yaxis.set_minor_locator(ticker.NullLocator())
    ratio.yaxis.set_major_formatter(ticker.FormatStrFormatter("%.2fx"))
    ticks = sorted({point[0] for line in lines for point in line.points})
    for axes in (ratio, speed):
        axes.set_xscale("log", base=2)
        axes.set_xlabel("M (rows of A and D: tokens)")
        axes.xaxis.set_major_formatter(ticker.FormatStrFormatter("%d"))
        if len(ticks) <= 16:
            axes.set_xticks(ticks)
        axes.tick_params(axis="x", labelrotation=45)
        axes.set_facecolor("none")
        axes.grid(True)
        axes.spines[["top", "right"]].set_visible(False)
    if len(lines) > 1:
        figure.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncols=min(len(lines), 6), frameon=False)
    figure.suptitle(title, fontsize=10.5)
    return figure


def main(arguments):
    parser = figures.parser_of("plots of gemm bench's JSON reports")
    parser.add_argument("--lines", choices=["means", "weights"], default="means")
    parser.add_argument("--title", default="")
    options = parser.parse_args(arguments)
    reports = figures.read_reports(options.reports, "bench", **{"in": str, "out": str})
    lines = make_lines(reports, options.lines)
    if not lines:
        sys.exit("bench_plot.py: the reports hold no product that could be drawn")
    title = options.title or common_text(reports)
    if options.lines == "means":
        title += "\nline: geometric mean over the products of an M; band: slowest to fastest"
    figures.draw_both(options.out, lambda pyplot, theme: draw(lines, title, pyplot, theme), SETTINGS)


if __name__ == "__main__":
    main(sys.argv[1:])
