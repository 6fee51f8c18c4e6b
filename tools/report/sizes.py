"""Speed over size: one machine against its rival, and machines beside each other."""
from collections import defaultdict

from style import (
    COLORS,
    GREY,
    INK,
    MARKERS,
    collect_legend,
    fill_legend_strip,
    geometric_mean,
    save,
    short_type,
    size_axis,
    with_legend_strip,
)


def is_square(case):
    return case.m == case.n == case.k and case.batch == 1


SQUARE, OTHER = "square products, M = N = K", "other products: geometric mean and range over N x K"
STYLES = ["-", (0, (4, 1.5)), (0, (1, 1)), (0, (6, 1.5, 1, 1.5))]


def sort_cases(cases):
    """{panel: {series: {size: [case]}}} of the panels that have at least two sizes."""
    found = {SQUARE: defaultdict(lambda: defaultdict(list)), OTHER: defaultdict(lambda: defaultdict(list))}
    for case in cases:
        series = (case.type, case.layout, case.edges)
        found[SQUARE if is_square(case) else OTHER][series][case.m].append(case)
    return {
        panel: dict(groups)
        for panel, groups in found.items()
        if len({size for sizes in groups.values() for size in sizes}) >= 2
    }


def series_text(series, all_series):
    """What tells one series from the others."""
    words = [short_type(series[0]), series[1], "" if series[2] == "plain" else f"{series[2]} edges"]
    differs = [len({other[i] for other in all_series}) > 1 for i in range(3)]
    told = [word for i, (word, tells) in enumerate(zip(words, differs)) if (tells or i == 0) and word]
    return ", ".join(told)


def draw_series(axes, sizes, value, color, marker, label=None, style="-", band=True):
    """A line through the geometric means over the cases of a size, `value` of each; those without are left out."""
    points = []
    for size, cases in sorted(sizes.items()):
        values = [v for v in map(value, cases) if v]
        if values:
            points.append((size, geometric_mean(values), min(values), max(values)))
    if not points:
        return []
    x, mean, low, high = zip(*points)
    axes.plot(x, mean, color=color, marker=marker, markersize=4.5 if marker else 0, label=label, linestyle=style)
    if band and low != high:
        axes.fill_between(x, low, high, color=color, alpha=0.14, linewidth=0)
    return x


def draw_ratio(machine, path):
    """The ratio to the rival over size; False without a rival or without sizes."""
    panels = sort_cases([case for case in machine.cases if case.ratio])
    if not panels:
        return False
    every = sorted({series for groups in panels.values() for series in groups})
    types = sorted({series[0] for series in every})
    # How engines keep weights comes first.
    ways = sorted({series[1:] for series in every}, key=lambda way: (way[0] != "nk", way))
    figure, strip, axes = with_legend_strip(1, len(panels), 6.4 * len(panels), [4.0])
    legend = {}
    for one, (title, groups) in zip(axes[0], panels.items()):
        seen = []
        for series, sizes in sorted(groups.items(), key=lambda item: (item[0][0], ways.index(item[0][1:]))):
            # A colour for each type, a kind of line for each layout and kind of edges.
            way = ways.index(series[1:])
            seen += draw_series(one, sizes, lambda case: case.ratio, COLORS[types.index(series[0]) % len(COLORS)],
                                MARKERS[way % len(MARKERS)], series_text(series, every), STYLES[way % len(STYLES)],
                                band=title == OTHER)
        one.axhline(1, color=INK, linewidth=0.9, linestyle=(0, (4, 3)))
        one.set_ylabel("times as fast as cuBLASLt's best of 8")
        size_axis(one, "M = N = K" if title == SQUARE else "M (rows of A)", seen)
        one.set_title(title, loc="left")
        collect_legend(one, legend)
    fill_legend_strip(strip, legend)
    figure.suptitle(f"{machine.device}: libgemm against cuBLASLt", x=0.01, ha="left", fontweight="bold")
    save(figure, path)
    return True


def lines_of(machines, kind):
    """{panel: [(machine, {size: [case]})]} of the products of a type."""
    panels = {}
    for machine in machines:
        cases = [case for case in machine.cases if case.type == kind]
        # One layout and kind of edges each, so that lines compare: that of most cases.
        keys = [(case.layout, case.edges) for case in cases]
        most = max(sorted(set(keys), reverse=True), key=keys.count, default=None)
        for title, groups in sort_cases([case for case in cases if (case.layout, case.edges) == most]).items():
            panels.setdefault(title, []).append((machine, next(iter(groups.values()))))
    return panels


def draw_ratios(machines, path):
    """The ratio to the rival over size, machines beside each other; False where fewer than two have one."""
    compared = [machine for machine in machines if any(case.ratio for case in machine.cases)]
    if len(compared) < 2:
        return False
    kinds = [kind for kind in ("bf16", "fp16", "fp32") if lines_of(compared, kind)]
    titles = [title for title in (SQUARE, OTHER) if any(title in lines_of(compared, kind) for kind in kinds)]
    figure, strip, axes = with_legend_strip(len(kinds), len(titles), 6.2 * len(titles), [3.2] * len(kinds))
    legend = {}
    for row, kind in zip(axes, kinds):
        for one, title in zip(row, titles):
            seen = []
            for machine, sizes in lines_of(compared, kind).get(title, []):
                i = machines.index(machine)
                layout = next(iter(sizes.values()))[0].layout
                seen += draw_series(one, sizes, lambda case: case.ratio, COLORS[i % len(COLORS)], MARKERS[i % len(MARKERS)],
                                    f"{machine.name} ({layout})", band=title == OTHER)
            one.axhline(1, color=INK, linewidth=0.9, linestyle=(0, (4, 3)))
            one.set_ylabel("times as fast as cuBLASLt's best of 8")
            one.set_title(f"{short_type(kind)}: {title}", loc="left")
            if seen:
                size_axis(one, "M = N = K" if title == SQUARE else "M (rows of A)", seen)
            collect_legend(one, legend)
    fill_legend_strip(strip, legend)
    figure.suptitle("Machines side by side: libgemm against cuBLASLt", x=0.01, ha="left", fontweight="bold")
    save(figure, path)
    return True


def draw_machines(machines, kind, path):
    """TFLOP/s over size, and what part of each machine's own ceiling that is; False where no machine has sizes."""
    panels = lines_of(machines, kind)
    if not panels:
        return False
    figure, strip, axes = with_legend_strip(len(panels), 2, 12.4, [3.6] * len(panels))
    legend = {}
    for (left, right), (title, lines) in zip(axes, sorted(panels.items(), key=lambda panel: panel[0] != SQUARE)):
        seen = []
        for machine, sizes in lines:
            i = machines.index(machine)
            name = f"{machine.name} ({next(iter(sizes.values()))[0].layout})"
            style = {"color": COLORS[i % len(COLORS)], "band": False}
            marker = MARKERS[i % len(MARKERS)]
            seen += draw_series(left, sizes, lambda c: c.tflops, label=name, marker=marker, **style)
            draw_series(left, sizes, lambda c: c.ratio and c.tflops / c.ratio, marker=None,
                        label=f"{name}: cuBLASLt, best of 8", style=(0, (2, 1.5)), **style)
            roof = machine.roof(kind)
            if roof:
                top = roof.sustained or roof.burst
                draw_series(right, sizes, lambda c, top=top: 100 * c.tflops / top, marker=marker, **style)
        left.set_ylabel("TFLOP/s")
        right.set_ylabel("% of the machine's measured ceiling")
        for one in (left, right):
            one.set_ylim(bottom=0)
            size_axis(one, "M = N = K" if title == SQUARE else "M (rows of A)", seen)
            one.set_title(title.replace(" and range", "") if one is left else "the same, as a part of its arithmetic's ceiling", loc="left")
        if not right.lines:
            right.text(0.5, 0.5, "no ceilings were measured", transform=right.transAxes, ha="center", color=GREY)
        collect_legend(left, legend)
    fill_legend_strip(strip, legend)
    figure.suptitle(f"Machines side by side: {short_type(kind)}", x=0.01, ha="left", fontweight="bold")
    save(figure, path)
    return True
