"""What the machines can do at best: measured ceilings beside the peaks that the write-ups state of theirs."""
from style import COLORS, GREY, number, pyplot, save, short_name

PANELS = (
    ("Device memory", "GB/s", ("memory_read",), "gbs"),
    ("FP32", "TFLOP/s", ("ffma_fp32",), "fp32"),
    ("16-bit inputs, FP32 sums", "TFLOP/s", ("wgmma_bf16", "mma_bf16"), "tensor"),
)


def rows_of(machines, published, names, peak):
    """(label, value, sustained or None, colour or None for published figures)."""
    for i, machine in enumerate(machines):
        ceiling = machine.ceiling(*names)
        if ceiling:
            yield machine.name, ceiling.burst, ceiling.sustained, COLORS[i % len(COLORS)]
    for stated in published.machines.values():
        value = getattr(stated, peak)
        if value:
            yield short_name(stated.name), value, None, None


def draw(machines, published, path):
    panels = [(*panel[:2], list(rows_of(machines, published, *panel[2:]))) for panel in PANELS]
    if not any(color for *_, rows in panels for *_, color in rows):
        return False
    most = max(len(rows) for *_, rows in panels)
    figure, axes = pyplot.subplots(1, len(panels), figsize=(13.2, 1.5 + 0.5 * most), squeeze=False)
    for one, (title, unit, rows) in zip(axes[0], panels):
        top = max((value for _, value, *_ in rows), default=1)
        for y, (label, value, sustained, color) in enumerate(rows):
            one.barh(y, value, 0.72, edgecolor=color or GREY, facecolor="white", linewidth=0.9,
                     hatch=None if color else "////")
            if color:
                one.barh(y, sustained or value, 0.72, color=color)
            text = number(value)
            if sustained and value > 1.01 * sustained:
                text = f"{number(sustained)} ({number(value)})"
            one.text(value + 0.015 * top, y, text, va="center", fontsize=8)
        one.set_yticks(range(len(rows)), [row[0] for row in rows])
        one.set_ylim(len(rows) - 0.4, -0.6)
        one.set_xlim(0, 1.32 * top)
        one.set_xlabel(unit)
        one.set_title(title, loc="left")
        one.grid(axis="y", visible=False)
    figure.suptitle("Ceilings: measured, sustained (in a short burst: the outline); hatched: stated by the write-up",
                    x=0.01, ha="left", fontweight="bold", fontsize=10.5)
    save(figure, path)
    return True
