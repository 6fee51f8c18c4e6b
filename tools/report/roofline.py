"""The roofline of one machine: what its memories and its arithmetic allow, and the kernels below it."""
from machines import backend, intensity
from style import COLORS, GREY, INK, collect_legend, fill_legend_strip, number, plain_log, save, with_legend_strip

FAMILIES = (("FP32", ("fp32",)), ("16-bit inputs, FP32 sums", ("bf16", "fp16")))
# Of the arithmetic of each family, the highest first.
ROOFS = {"FP32": (("ffma_fp32", "FFMA"),), FAMILIES[1][0]: (("wgmma_bf16", "wgmma"), ("mma_bf16", "mma.sync"))}

# libgemm's points: label, colour, marker.
OURS = {
    "": ("libgemm", COLORS[0], "o"),
    "hopper": ("libgemm, Hopper rows", COLORS[0], "o"),
    "ampere": ("libgemm, Ampere rows", COLORS[3], "D"),
    "simt": ("libgemm, SIMT rows", COLORS[5], "v"),
}


def points_of(machine, types):
    """(label, colour, marker, filled, [(intensity, TFLOP/s)]) of libgemm, its rival and the ladder."""
    cases = [case for case in machine.cases if case.type in types]
    ours = {}
    for case in cases + [case for case in machine.rows if case.type in types]:
        ours.setdefault(backend(case), []).append((intensity(case), case.tflops))
    rival = [(intensity(case), case.tflops / case.ratio) for case in cases if case.ratio]
    ladder = [
        (2 * rung.m * rung.n * rung.k / rung.bytes, rung.tflops)
        for rung in machine.rungs
        if rung.type in types and rung.tflops and rung.bytes and rung.name not in ("cublas", "libgemm")
    ]
    # What comes last lies on top.
    return [
        ("rungs of the ladder", COLORS[2], "^", False, ladder),
        *((*OURS[name], True, ours[name]) for name in OURS if name in ours),
        ("cuBLASLt, best of 8", COLORS[1], "s", False, rival),
    ]


def draw_slope(axes, machine, name, words, span, top, style):
    """The part of a memory's slope below the highest roof."""
    memory = machine.ceiling(name)
    if not memory:
        return
    rate = (memory.sustained or memory.burst) * 1e-3  # TB/s
    end = min(span[1], top / rate)
    if end <= span[0]:
        return
    axes.plot([span[0], end], [span[0] * rate, end * rate], color=INK, linewidth=1.3, linestyle=style,
              label=f"{words} {number(rate)} TB/s")


def draw_roofs(axes, machine, family, span):
    """Horizontal lines, named right of the panel where no point is; returns the height of the highest."""
    top = 0
    for name, words in ROOFS[family]:
        ceiling = machine.ceiling(name)
        if not ceiling:
            continue
        rate = ceiling.sustained or ceiling.burst
        axes.axhline(rate, color=INK, linewidth=1.3, linestyle="-" if top == 0 else (0, (5, 2)))
        text = f"{words} {number(rate)}"
        if ceiling.sustained and ceiling.burst > 1.02 * ceiling.sustained:
            axes.axhline(ceiling.burst, color=GREY, linewidth=0.9, linestyle=":")
            text += f" (burst {number(ceiling.burst)})"
        axes.annotate(text, (span[1], rate), xytext=(4, 0), textcoords="offset points", fontsize=8, va="center",
                      ha="left", annotation_clip=False)
        top = max(top, ceiling.burst, rate)
    return top


def draw_panel(axes, machine, family, groups):
    xs = [x for *_, points in groups for x, _ in points]
    ys = [y for *_, points in groups for _, y in points]
    span = (min(xs) / 2, max(xs) * 2)
    top = draw_roofs(axes, machine, family, span) or max(ys)
    draw_slope(axes, machine, "memory_read", "memory", span, top, "-")
    draw_slope(axes, machine, "l2_read", "L2", span, top, (0, (5, 2)))
    for label, color, marker, filled, points in groups:
        if points:
            axes.plot(*zip(*points), linestyle="none", marker=marker, markersize=5, color=color, alpha=0.85,
                      markerfacecolor=color if filled else "none", label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(*span)
    axes.set_ylim(min(ys) / 2, top * 1.8)
    plain_log(axes.xaxis, "FLOP per byte that must move once (A, B, D, and C where it is read)")
    plain_log(axes.yaxis, "TFLOP/s")
    axes.set_title(family, loc="left")


def draw(machine, path):
    """False where there is nothing to draw."""
    panels = []
    for family, types in FAMILIES:
        groups = points_of(machine, types)
        if any(points for *_, points in groups):
            panels.append((family, groups))
    if not panels:
        return False
    figure, strip, axes = with_legend_strip(1, len(panels), 6.4 * len(panels), [4.7])
    legend = {}
    for one, (family, groups) in zip(axes[0], panels):
        draw_panel(one, machine, family, groups)
        collect_legend(one, legend)
    fill_legend_strip(strip, legend)
    figure.suptitle(f"{machine.device}: roofline", x=0.01, ha="left", fontweight="bold")
    save(figure, path)
    return True
