"""The rungs of a write-up: what its authors published beside what was measured here."""
import textwrap
from collections import namedtuple

from style import COLORS, GREY, fill_legend_strip, number, pyplot, save, short_name, short_type, with_legend_strip

Bar = namedtuple("Bar", "tflops percent")
Panel = namedtuple("Panel", "type size rungs published machines")  # rungs: (id, label); others: id -> Bar


def order_of(figures, measured, system, kind):
    """{id: words} in the order of the write-up, then the rungs that go on where it ends (S2-10), cuBLAS and libgemm last. Steps of
    sweeps (S2-9-n128), which have longer names, are in the page's table only."""
    more = [r for r in measured if r.system == system and r.type == kind and r.name.isalnum()]
    ends = ("cublas", "libgemm")
    order = {}
    for rung in [r for r in figures if r.name != "cublas"] + [r for r in more if r.name not in ends]:
        order.setdefault(rung.id, (rung.name, rung.idea))
    order[f"{system}-cublas"] = ("cublas", "cuBLAS")
    order[f"{system}-libgemm"] = ("libgemm", "libgemm")
    return order


def panel_of(published, machines, system, kind):
    """The rungs of one type, at the size that has most published figures."""
    figures = [rung for rung in published.rungs if rung.system == system and rung.type == kind]
    known = [rung for rung in figures if rung.tflops or rung.percent]
    sizes = [(rung.m, rung.n, rung.k) for rung in known or figures]
    if not sizes:
        return None
    size = max(sorted(set(sizes)), key=sizes.count)

    def at_size(rungs):
        # The first of a name counts: cuBLAS and libgemm are timed in every layout that a rung of the write-up has.
        bars = {r.id: Bar(r.tflops, r.percent) for r in reversed(rungs)
                if (r.m, r.n, r.k) == size and (r.tflops or r.percent)}
        # A write-up that gives cuBLAS's speed but no parts of it.
        cublas = bars.get(f"{system}-cublas", Bar(None, None)).tflops
        return {key: Bar(bar.tflops, bar.percent or (cublas and bar.tflops and 100 * bar.tflops / cublas))
                for key, bar in bars.items()}

    measured = [
        (machine, at_size([rung for rung in machine.rungs if rung.system == system and rung.type == kind]))
        for machine in machines
    ]
    told = at_size(figures)
    seen = set(told).union(*(bars for _, bars in measured))
    order = order_of(figures, [rung for machine in machines for rung in machine.rungs], system, kind)
    rungs = [(rung_id, label(*words)) for rung_id, words in order.items() if rung_id in seen]
    hosts = [published.machines[rung.machine].name for rung in figures if rung.machine in published.machines]
    return Panel(kind, size, rungs, (hosts[0] if hosts else "published", told), measured)


def label(name, idea, width=50):
    """The rung's name and its idea, in two lines of about one length if need be; the page's table has it in full."""
    text = idea if idea.lower().startswith(name.lower()) else f"{name}: {idea}"
    if len(text) <= width:
        return text
    for columns in range(min(width, len(text) // 2), width + 1):
        lines = textwrap.wrap(text, columns, max_lines=2, placeholder=" …", break_on_hyphens=False)
        if not lines[-1].endswith("…"):
            break
    return "\n".join(lines)


def draw_bars(axes, panel, member, unit):
    series = [(f"published: {short_name(panel.published[0])}", panel.published[1], GREY, "////")]
    series += [(machine.name, bars, COLORS[i % len(COLORS)], None) for i, (machine, bars) in enumerate(panel.machines)]
    series = [one for one in series if any(getattr(bar, member) for bar in one[1].values())]
    height = 0.8 / max(1, len(series))
    most = max((getattr(bar, member) or 0 for _, bars, *_ in series for bar in bars.values()), default=1)
    for s, (words, bars, color, hatch) in enumerate(series):
        for row, (rung_id, _) in enumerate(panel.rungs):
            value = getattr(bars[rung_id], member) if rung_id in bars else None
            if not value:
                continue
            y = row - 0.4 + height * (s + 0.5)
            axes.barh(y, value, 0.9 * height, edgecolor=color, facecolor="white" if hatch else color, hatch=hatch,
                      linewidth=0.8)
            axes.text(value + 0.01 * most, y, number(value), va="center", ha="left", fontsize=7.5,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.4})
    axes.set_xlim(0, most * 1.13)
    axes.set_xlabel(unit)
    axes.grid(axis="y", visible=False)
    if not series:
        axes.set_xticks([])
        axes.text(0.5, 0.5, "not published", transform=axes.transAxes, ha="center", color=GREY)
    handles = [
        pyplot.Rectangle((0, 0), 1, 1, edgecolor=color, facecolor="white" if hatch else color, hatch=hatch)
        for _, _, color, hatch in series
    ]
    return handles, [words for words, *_ in series]


def draw(published, machines, system, path):
    """One write-up. False where nobody measured it and nothing was published."""
    kinds = [kind for kind in ("fp32", "bf16", "fp16")]
    panels = [panel for kind in kinds if (panel := panel_of(published, machines, system, kind)) and panel.rungs]
    # A type that the write-up only repeats is drawn where somebody measured it.
    panels = [p for p in panels if p is panels[0] or p.type != "fp16" or any(bars for _, bars in p.machines)]
    if not panels:
        return False
    bars_a_row = 1 + len(machines)
    heights = [len(panel.rungs) * (0.15 * bars_a_row + 0.07) + 0.9 for panel in panels]
    figure, strip, axes = with_legend_strip(len(panels), 2, 12.5, heights)
    legends = {}
    for (left, right), panel in zip(axes, panels):
        for one, member, unit in ((left, "tflops", "TFLOP/s"),
                                  (right, "percent", "% of cuBLAS on the same machine (here: cuBLASLt's best of 8)")):
            handles, words = draw_bars(one, panel, member, unit)
            legends.update(zip(words, handles))
        left.set_yticks(range(len(panel.rungs)), [words for _, words in panel.rungs])
        left.set_ylim(len(panel.rungs) - 0.45, -0.55)
        right.set_yticks(range(len(panel.rungs)), [""] * len(panel.rungs))
        right.set_ylim(*left.get_ylim())
        right.tick_params(axis="y", length=0)
        # Below the bars' numbers, which stand on white.
        right.axvline(100, color=GREY, linewidth=0.9, linestyle=(0, (4, 3)), zorder=0.8)
        size = f"{panel.size[0]}^3" if len(set(panel.size)) == 1 else "x".join(map(str, panel.size))
        left.set_title(f"{short_type(panel.type)}, {size}", loc="left")
    fill_legend_strip(strip, legends)
    figure.suptitle(f"{system}: {published.sources.get(system, '')}", x=0.01, ha="left", fontweight="bold")
    save(figure, path)
    return True
