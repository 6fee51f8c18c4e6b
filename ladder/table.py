#!/usr/bin/env python3
"""usage: table.py DOCUMENT [RESULT.json ...]

Fills the tables of DOCUMENT (docs/ladder.md) from ladder/published.json and from reports of `gemm ladder --out` or of
tools/machine_report: each stands between `<!-- ladder TYPE SIZE -->` and `<!-- end -->`, or `<!-- sweeps TYPE SIZE -->`. A later
report goes before an earlier one. What no report has is `pending`; a document without markers is an error.
"""
import json
import os
import re
import sys

MARKER = re.compile(r"(<!-- (ladder|sweeps) (fp32|fp16|bf16) (\d+) -->\n).*?(<!-- end -->)", re.DOTALL)
# Published rows that are no rungs: what the rivals reached there.
RIVALS = ("cublas", "pytorch")
# Measured beside the rungs.
PRODUCTS = ("libgemm", "cuBLAS")


def number(value, digits=4):
    return "" if value is None else f"{value:.{digits}g}"


def ladders_of(report):
    """Those of a machine's report, which has other parts too; else the report itself."""
    return report.get("ladder", []) if report.get("libgemm_machine") == 1 else [report]


def measured(reports, type_name, size):
    """name -> (TFLOP/s, % of cuBLAS, idea), of libgemm and cuBLAS too. An entrant with a wrong result has no time."""
    results = {}
    for report in reports:
        for case in report["cases"]:
            if (case["in"], case["m"], case["n"], case["k"]) != (type_name, size, size, size):
                continue
            timed = [e for e in case["entrants"] if "median_us" in e]
            rivals = [e["median_us"] for e in timed if e["side"].startswith("rival")]
            of_type = "" if case["out"] == "fp32" else f", C and D in {case['out']}"
            if rivals and case["layout"] == "kn":
                results["cuBLAS's best" + of_type] = (2e-6 * size**3 / min(rivals), 100, "")
            for entrant in timed:
                if entrant["side"] == "rung":
                    name = entrant["name"]
                elif entrant["side"] == "ours":
                    name = "libgemm" + of_type
                    if case["layout"] != "kn":
                        continue
                else:
                    continue
                tflops = 2e-6 * size**3 / entrant["median_us"]
                percent = 100 * min(rivals) / entrant["median_us"] if rivals else None
                idea = entrant["name"] if entrant["side"] == "ours" else entrant.get("config", "")
                results[name] = (tflops, percent, idea)
    return results


def here(result):
    if result is None:
        return "pending | "
    return f"{number(result[0])} | {number(result[1], 3)}"


def ladder_table(published, results, type_name, size):
    machines = published["machines"]
    lines = [
        "| rung | idea | published TFLOP/s | % of cuBLAS there | there | here TFLOP/s | % of cuBLAS here |",
        "|---|---|---|---|---|---|---|",
    ]
    shown = set()
    figures = [f for f in published["figures"] if f["type"] == type_name]
    own_size = {f["id"] for f in figures if f["m"] == size}
    for figure in figures:
        # At 4096 all rungs, with the figure of their own size; at another size those that were published there.
        wanted = figure["m"] == size or (size == 4096 and figure["id"] not in own_size)
        if not wanted or figure["rung"] in RIVALS:
            continue
        shown.add(figure["id"])
        at = "" if figure["m"] == size else f" at {figure['m']}"
        lines.append(
            f"| {figure['id']} | {figure['idea']} | {number(figure['tflops'])}{at if figure['tflops'] else ''} | "
            f"{number(figure['percent_of_cublas'])} | {machines[figure['machine']]['name']} | {here(results.get(figure['id']))} |"
        )
    for name in sorted(set(results) - shown, key=lambda n: (n.startswith(PRODUCTS), n)):
        # Rungs of our own have names like S2-10; steps of sweeps carry a further word.
        if name.startswith(PRODUCTS) or re.fullmatch(r"S2-1\d", name):
            lines.append(f"| {name} | {results[name][2]} | | | | {here(results[name])} |")
    return "\n".join(lines) + "\n"


def sweep_table(published, results):
    known = {figure["id"] for figure in published["figures"]}
    lines = ["| rung | idea | here TFLOP/s | % of cuBLAS here |", "|---|---|---|---|"]
    for name, result in sorted(results.items()):
        if name in known or name.startswith(PRODUCTS) or re.fullmatch(r"S2-1\d", name):
            continue
        lines.append(f"| {name} | {result[2]} | {here(result)} |")
    if len(lines) == 2:
        lines.append("| pending | | | |")
    return "\n".join(lines) + "\n"


def fill(text, published, reports):
    if not MARKER.search(text):
        raise ValueError("the document has no marker `<!-- ladder TYPE SIZE -->`")

    def replace(match):
        head, kind, type_name, size, end = match.group(1), match.group(2), match.group(3), int(match.group(4)), match.group(5)
        results = measured(reports, type_name, size)
        if kind == "sweeps":
            return head + sweep_table(published, results) + end
        return head + ladder_table(published, results, type_name, size) + end

    return MARKER.sub(replace, text)


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 2
    with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), "published.json"), encoding="utf-8") as file:
        published = json.load(file)
    reports = []
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            reports += ladders_of(json.load(file))
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    text = fill(text, published, reports)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
