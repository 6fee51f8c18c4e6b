"""What the programs of this folder share: the command line, reading reports, and an SVG for pages of either background."""
import argparse
import json
import os
import sys

# Of text and of the grid.
BACKGROUNDS = {"light": ("#1f2328", "#d0d7de"), "dark": ("#e6edf3", "#3d444d")}

PROGRAM = os.path.basename(sys.argv[0])


def parser_of(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("reports", nargs="+", metavar="REPORT.json")
    parser.add_argument("--out", required=True, metavar="NAME", help="without -light.svg")
    return parser


def refuse(sentence):
    sys.exit(f"{PROGRAM}: {sentence}")


def has(value, fields):
    return isinstance(value, dict) and all(isinstance(value.get(name), kind) for name, kind in fields.items())


def read_reports(paths, command, **fields):
    """The reports of that command of gemm, whose cases have these fields of these types beside those of every product."""
    fields = {"layout": str, "m": int, "n": int, "k": int, **fields}
    reports = []
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
        except OSError as error:
            refuse(f"{path} cannot be read: {error.strerror}")
        except ValueError as error:
            refuse(f"{path} is not JSON: {error}")
        known = has(report, {"device": str, "date": str, "cases": list})
        if not known or not all(has(case, fields) for case in report["cases"]):
            refuse(f"{path} is no report of gemm {command}")
        reports.append(report)
    return reports


def origin_of(reports):
    """(devices, dates) as text."""
    devices = sorted({report["device"].split(",")[0] for report in reports})
    dates = sorted({report["date"][:10] for report in reports})
    return " and ".join(devices), " to ".join(dates[:1] + dates[1:][-1:])


def draw_both(out, draw, settings):
    """Writes OUT-light.svg and OUT-dark.svg and prints their paths. draw(pyplot, theme) makes a figure; `settings` are
    matplotlib's, beside those that make the same figure the same bytes."""
    try:
        import matplotlib

        matplotlib.use("svg")
        from matplotlib import pyplot
    except ImportError as error:
        sys.exit(f"{PROGRAM}: {error}; Debian and Ubuntu have it as python3-matplotlib")
    os.makedirs(os.path.dirname(out) or ".", exist_ok=True)
    for theme, (foreground, grid) in BACKGROUNDS.items():
        colors = {name: foreground for name in ("text.color", "axes.labelcolor", "xtick.color", "ytick.color")}
        colors.update({"grid.color": grid, "axes.edgecolor": grid})
        same = {"svg.fonttype": "none", "svg.hashsalt": "libgemm", "font.family": "sans-serif"}
        path = f"{out}-{theme}.svg"
        with pyplot.rc_context({**same, **colors, **settings}):
            figure = draw(pyplot, theme)
            figure.savefig(path, transparent=True, bbox_inches="tight", metadata={"Date": None})
            pyplot.close(figure)
        print(path)
