#!/usr/bin/python3
"""usage: gemm report MACHINE.json... --out FOLDER [--title TEXT] [--published FILE]

Draws what was measured on one machine or several (tools/machine_report writes a JSON of each) into FOLDER: index.html, which
needs no other file, and its figures as PNG. The same files give the same bytes.

Exit codes: 0 done; 2 a file that is refused, or Matplotlib or Jinja2 is missing.
"""
import argparse
import base64
import logging
import os
import sys

sys.dont_write_bytecode = True
# realpath: what runs may be a link in a folder that holds nothing else.
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)

from machines import BadInput, Published, load_machine  # noqa: E402

BAD_INPUT = 2


def fail(sentence):
    print(f"gemm report: {sentence}", file=sys.stderr)
    return BAD_INPUT


class Parser(argparse.ArgumentParser):
    def error(self, message):
        sys.exit(fail(f"{message}; see gemm report --help"))


def missing_module():
    """What to install, or None."""
    # That it makes itself a folder for its caches is no news to the user.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    for module, package in (("matplotlib", "python3-matplotlib"), ("jinja2", "python3-jinja2")):
        try:
            __import__(module)
        except ImportError as error:
            return f"{sys.executable} cannot import {module} ({error}); Debian and Ubuntu have it as {package}"
    return None


class Pictures:
    """Draws into the folder and keeps what became of it for the page."""

    def __init__(self, folder):
        self.folder = folder
        self.names = set()

    def draw(self, name, caption, drawer, *arguments):
        """[the figure], or [] where there is nothing to draw."""
        while name in self.names:  # two machines of one name
            name += "-2"
        path = os.path.join(self.folder, name + ".png")
        if not drawer(*arguments, path):
            return []
        self.names.add(name)
        with open(path, "rb") as file:
            return [{"caption": caption, "data": base64.b64encode(file.read()).decode("ascii")}]


def file_name(text):
    """Lower case letters, digits and dashes."""
    words = "".join(c if c.isascii() and c.isalnum() else " " for c in text.lower()).split()
    return "-".join(words) or "machine"


def section(title, empty, figures):
    return {"title": title, "empty": empty, "figures": figures}


def make_sections(machines, published, pictures):
    import ladder
    import peaks
    import roofline
    import sizes

    def each(what, caption, drawer):
        return [
            figure
            for machine in machines
            for figure in pictures.draw(f"{what}-{file_name(machine.name)}", f"{machine.name}: {caption}", drawer, machine)
        ]

    systems = sorted(set(published.sources) | {rung.system for machine in machines for rung in machine.rungs})
    rungs = [
        figure
        for system in systems
        for figure in pictures.draw(
            f"ladder-{file_name(system)}", f"{system}: published (hatched) beside measured", ladder.draw, published,
            machines, system,
        )
    ]
    return [
        section("Side by side", "Neither ceilings nor products of several sizes were measured.",
                pictures.draw("ceilings", "Measured ceilings beside published peaks", peaks.draw, machines, published)
                + [
                    figure
                    for kind in ("fp32", "bf16", "fp16")
                    for figure in pictures.draw(
                        f"machines-{kind}", f"{kind.upper()}: speed over size, and as a part of each machine's ceiling",
                        sizes.draw_machines, machines, kind,
                    )
                ]),
        section("Against cuBLASLt", "No products of several sizes were timed against cuBLASLt.",
                pictures.draw("ratio-machines", "Times as fast as cuBLASLt's best of 8 algorithms, over size: the machines side by side",
                              sizes.draw_ratios, machines)
                + each("ratio", "times as fast as cuBLASLt's best of 8 algorithms, over size", sizes.draw_ratio)),
        section("Rooflines", "No products were timed.",
                each("roofline", "roofline of the sustained ceilings with every timed product on it", roofline.draw)),
        section("The ladder", "There are no figures.", rungs),
    ]


def rung_rows(machines, published):
    """The ladder as a table: a row for each rung, type and size of whoever has one."""
    from style import rates

    def text(rung):
        if rung is None:
            return "-"
        if rung.refused:
            return rung.refused
        percent = "" if rung.percent is None else f" ({rung.percent:.3g}%)"
        return rates(rung.tflops) + percent

    def keyed(rungs):
        return {(rung.id, rung.type, rung.m, rung.n, rung.k): rung for rung in rungs}

    told, measured = keyed(published.rungs), [keyed(machine.rungs) for machine in machines]
    rows = []
    for key in dict.fromkeys(key for table in [told, *measured] for key in table):
        stated = told.get(key)
        first = stated or next(table[key] for table in measured if key in table)
        rows.append({
            "id": key[0], "type": key[1], "size": " x ".join(map(str, key[2:])), "idea": first.idea,
            "published": text(stated),
            "host": published.machines[stated.machine].name if stated and stated.machine in published.machines else "",
            "measured": [text(table.get(key)) for table in measured],
        })
    return rows


def write_page(title, machines, published, sections, path):
    import jinja2

    from style import rates

    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True, undefined=jinja2.Undefined)
    environment.filters["rate"] = rates
    page = environment.get_template("page.html").render(
        title=title,
        machines=machines,
        ceilings=[(machine.name, ceiling) for machine in machines for ceiling in machine.ceilings.values()],
        sections=sections,
        rungs=rung_rows(machines, published),
    )
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)


def find_published(named):
    """ladder/published.json of the workspace, or of the runfiles, both two folders up."""
    return named or os.path.join(os.path.dirname(os.path.dirname(HERE)), "ladder", "published.json")


def main(arguments):
    parser = Parser(prog="gemm report", description="Draws machines' reports as one page and its figures.")
    parser.add_argument("machines", metavar="MACHINE.json", nargs="+", help="reports of tools/machine_report")
    parser.add_argument("--out", metavar="FOLDER", required=True, help="where index.html and the PNGs go")
    parser.add_argument("--title", default="libgemm: measured", help="of the page")
    parser.add_argument("--published", metavar="FILE", help="figures of the write-ups (default: ladder/published.json)")
    options = parser.parse_args(arguments)
    try:
        published = Published(find_published(options.published))
        machines = [load_machine(path, published.ideas) for path in options.machines]
        missing = missing_module()
        if missing:
            return fail(missing)
        os.makedirs(options.out, exist_ok=True)
        pictures = Pictures(options.out)
        sections = make_sections(machines, published, pictures)
        path = os.path.join(options.out, "index.html")
        write_page(options.title, machines, published, sections, path)
    except BadInput as error:
        return fail(error)
    except OSError as error:
        return fail(f"{error.filename or options.out}: {error.strerror}")
    print(f"{path} and {len(pictures.names)} figures")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
