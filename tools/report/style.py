"""What the report's figures have in common."""
import io
import math

import matplotlib
from PIL import Image  # Matplotlib needs it too

matplotlib.use("Agg")
from matplotlib import pyplot, ticker  # noqa: E402  (the backend comes first)

# Okabe and Ito's colours, told apart by the colour-blind; the palest are left out, as the page is white.
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#8C6D00"]
MARKERS = "osD^vP"
GREY = "#6E7781"
INK = "#1f2328"

pyplot.rcParams.update(
    {
        "font.family": "DejaVu Sans",  # comes with Matplotlib
        "font.size": 9.5,
        "axes.titlesize": 10.5,
        "axes.edgecolor": "#8C959F",
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#D8DEE4",
        "grid.linewidth": 0.6,
        "lines.linewidth": 1.7,
        "hatch.linewidth": 0.7,
        "figure.constrained_layout.use": True,
        "savefig.dpi": 130,
    }
)


def plain_log(axis, label):
    """A logarithmic axis whose numbers are written out: 0.5, 8, 4096."""
    axis.set_major_formatter(ticker.FuncFormatter(lambda v, _: number(v)))
    axis.set_minor_formatter(ticker.NullFormatter())
    axis.set_label_text(label)


def size_axis(axes, label, values):
    """Powers of two, not more of them than fit."""
    axes.set_xscale("log", base=2)
    plain_log(axes.xaxis, label)
    low, high = (math.log2(f(values)) for f in (min, max))
    step = max(1, round((high - low) / 7))
    axes.xaxis.set_major_locator(ticker.FixedLocator([2.0**e for e in range(math.floor(low), math.ceil(high) + 1, step)]))
    axes.set_xlim(min(values) / 1.15, max(values) * 1.15)


def number(value):
    """Three digits, no more."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}"


def rates(value):
    return "-" if value is None else number(value)


def short_type(name):
    return name.upper()


def with_legend_strip(rows, columns, width, heights):
    """A figure whose first row of axes is kept for a legend: (figure, that row's first axes, the other rows)."""
    figure, axes = pyplot.subplots(
        rows + 1, columns, figsize=(width, sum(heights) + 0.9), squeeze=False,
        gridspec_kw={"height_ratios": [0.3, *heights]},
    )
    for one in axes[0]:
        one.axis("off")
    return figure, axes[0][0], axes[1:]


def fill_legend_strip(strip, handles):
    """`handles` by label, in a line from the left margin of the first panel."""
    legend = strip.legend(handles.values(), handles.keys(), loc="center left", ncol=max(1, len(handles)), fontsize=9,
                          frameon=False, borderaxespad=0, columnspacing=1.4)
    # It is wider than its axes, which must not widen the column below.
    legend.set_in_layout(False)


def collect_legend(axes, handles):
    """Adds the labelled artists of `axes`, each label once."""
    for handle, label in zip(*axes.get_legend_handles_labels()):
        handles.setdefault(label, handle)


def short_name(device):
    return device.replace("NVIDIA ", "").replace("GeForce ", "").replace(" GPU", "")


def save(figure, path):
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png")
    pyplot.close(figure)
    # A figure has few colours: 256 of them are a third of the bytes. No metadata, so that the same data gives the same bytes.
    image = Image.open(drawn).convert("RGB").quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    image.save(path, format="PNG", optimize=True)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))
