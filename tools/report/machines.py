"""Reads what was measured on one machine (a JSON of tools/machine_report) and what was published (ladder/published.json)."""
import json
import math
from collections import namedtuple


class BadInput(Exception):
    """A sentence for the user: which file, where in it, what is wanted."""


# What `gemm bench` and `gemm ladder` call the sides that matter here.
RUNG, RIVALS = "rung", ("rival", "rival default")
KINDS = {dict: "an object", list: "a list", str: "a text", float: "a number", bool: "true or false"}


def _is(value, kind):
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(value, kind)


class Node:
    """A JSON object that knows where it stands, so that a refusal can say so."""

    def __init__(self, value, where):
        if not isinstance(value, dict):
            raise BadInput(f"{where} is not an object")
        self.value, self.where = value, where

    def get(self, key, kind, default=None):
        """The member, or `default` where it is absent or null."""
        value = self.value.get(key)
        if value is None:
            return default
        if not _is(value, kind):
            raise BadInput(f"{self.where}.{key} is {json.dumps(value)[:40]}; {KINDS[kind]} is wanted")
        return value

    def need(self, key, kind):
        value = self.get(key, kind)
        if value is None:
            raise BadInput(f"{self.where}.{key} is missing; {KINDS[kind]} is wanted")
        return value

    def positive(self, key):
        value = self.need(key, float)
        if value <= 0:
            raise BadInput(f"{self.where}.{key} is {value}; more than 0 is wanted")
        return value

    def node(self, key):
        return Node(self.need(key, dict), f"{self.where}.{key}")

    def nodes(self, key):
        """The objects of a list; none where the list is absent."""
        return [Node(v, f"{self.where}.{key}[{i}]") for i, v in enumerate(self.get(key, list, []))]


Ceiling = namedtuple("Ceiling", "name unit what missing burst sustained mhz watts")
Case = namedtuple("Case", "layout type m n k batch edges kernel us tflops gbs ratio")
# `system` and `name` are those of the write-up: S0, 08. `refused` is why there is no time; `bytes` what must move once, where known.
Rung = namedtuple("Rung", "id system name idea type m n k tflops percent refused machine bytes", defaults=[None])


class Machine:
    """One measured machine."""

    def __init__(self, name, device, driver, date):
        self.name, self.device, self.driver, self.date = name, device, driver, date
        self.facts = {}  # of the device, by the names of `gemm ceilings`
        self.rival = None
        self.ceilings = {}
        self.cases = []
        self.rows = []  # cases of rows that were asked for by name
        self.rungs = []
        self.failures = []

    def ceiling(self, *names):
        """The first of these that the device has, or None."""
        for name in names:
            found = self.ceilings.get(name)
            if found and not found.missing:
                return found
        return None

    def roof(self, kind):
        """What products of a type can reach at most: TFLOP/s of arithmetic."""
        return self.ceiling("ffma_fp32") if kind == "fp32" else self.ceiling("wgmma_bf16", "mma_bf16")


def backend(case):
    """Of libgemm, by the kernel's name; empty for a name of another kind."""
    word = case.kernel.partition("_")[0]
    return word if word in ("hopper", "ampere", "simt") else ""


def intensity(case):
    """FLOP for each byte that has to move once."""
    return case.tflops * 1e3 / case.gbs


def _ceiling(node):
    rates = {}
    for key in ("burst", "sustained"):
        rates[key] = node.node(key) if node.get(key, dict) else None
    missing = node.get("missing", str, "")
    if not missing and rates["burst"] is None:
        raise BadInput(f"{node.where} has neither a burst nor a reason for its absence (missing)")
    long = rates["sustained"]
    return Ceiling(
        node.need("name", str),
        node.need("unit", str),
        node.get("what", str, ""),
        missing,
        rates["burst"].positive("rate") if rates["burst"] else None,
        long.positive("rate") if long else None,
        long.get("mhz", float) if long else None,
        long.get("watts", float) if long else None,
    )


def _cases(report):
    edges = report.get("edges", str, "plain")
    for case in report.nodes("cases"):
        if case.get("us", float) is None:  # it failed, and says so in its own report
            continue
        yield Case(
            case.need("layout", str),
            case.need("in", str),
            *(int(case.positive(size)) for size in "mnk"),
            int(case.get("batch", float, 1)),
            edges,
            case.get("kernel", str, ""),
            case.positive("us"),
            case.positive("tflops"),
            case.positive("gbs"),
            case.positive("ratio") if case.get("ratio", float) is not None else None,
        )


def _median_us(entrant):
    return entrant.positive("median_us") if entrant.get("median_us", float) is not None else None


def _rungs(report, ideas):
    """The rungs of a report of `gemm ladder`, which is one of `gemm bench` whose entrants are rungs too. cuBLAS and libgemm at the
    same product become rungs of every write-up that has one there."""
    for case in report.nodes("cases"):
        kind, sizes = case.need("in", str), [int(case.positive(size)) for size in "mnk"]
        flops = 2 * sizes[0] * sizes[1] * sizes[2] * case.get("batch", float, 1)
        entrants = [(e, e.need("side", str), _median_us(e)) for e in case.nodes("entrants")]
        rivals = [us for _, side, us in entrants if side in RIVALS and us]
        rival = min(rivals, default=None)
        ours = next((us for _, side, us in entrants if side == "ours" and us), None)
        # The report's GB/s are of A, B, D and the C that is read.
        once = case.positive("gbs") * case.positive("us") * 1e3 if case.get("us", float) is not None else None

        def rung(rung_id, idea, us, refused):
            system, _, name = rung_id.partition("-")
            percent = 100 * rival / us if us and rival else None
            tflops = flops / us * 1e-6 if us else None
            return Rung(rung_id, system, name, idea, kind, *sizes, tflops, percent, refused, None, once)

        systems = []
        for entrant, side, us in entrants:
            if side != RUNG:
                continue
            name = entrant.need("name", str)
            refused = entrant.get("failure", str)
            if not us and not refused:
                raise BadInput(f"{entrant.where} ({name}) has neither a median_us nor a reason (failure)")
            yield rung(name, ideas.get(name) or entrant.get("config", str, ""), us, None if us else refused)
            system = name.partition("-")[0]
            if us and system not in systems:
                systems.append(system)
        for system in systems:
            for name, idea, us in (("cublas", "cuBLASLt, best of 8", rival), ("libgemm", "libgemm's choice", ours)):
                if us:
                    yield rung(f"{system}-{name}", idea, us, None)


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not JSON: {error}") from error


def load_machine(path, ideas):
    """One machine; `ideas` are the rungs' by id, for reports that do not repeat them."""
    root = Node(read_json(path), path)
    if root.get("libgemm_machine", float) != 1:
        raise BadInput(f"{path} is not a machine's report (libgemm_machine is not 1); tools/machine_report writes one")
    measured = root.node("ceilings") if root.get("ceilings", dict) else None
    benches, rows, ladders = root.nodes("bench"), root.nodes("rows"), root.nodes("ladder")
    reports = ([measured] if measured else []) + benches + rows + ladders
    if not reports:
        raise BadInput(f"{path} holds nothing: no ceilings, no bench, no ladder")
    if measured:
        device = measured.node("device").need("name", str)
    else:
        device = reports[0].need("device", str).split(",")[0]
    machine = Machine(
        root.get("name", str) or device.replace("NVIDIA ", "").replace("GeForce ", ""),
        device,
        reports[0].get("driver", str, ""),
        reports[0].get("date", str, ""),
    )
    if measured:
        machine.facts = measured.value["device"]
        for ceiling in map(_ceiling, measured.nodes("ceilings")):
            machine.ceilings[ceiling.name] = ceiling
    for report in benches:
        machine.rival = machine.rival or report.get("rival", str)
        machine.cases += _cases(report)
    for report in rows:
        machine.rows += _cases(report)
    for report in ladders:
        machine.rungs += _rungs(report, ideas)
    machine.failures = [str(failure) for failure in root.get("failures", list, [])]
    return machine


Peaks = namedtuple("Peaks", "name fp32 tensor gbs")


class Published:
    """The figures of the write-ups, and the peaks that they state of their machines."""

    def __init__(self, path):
        root = Node(read_json(path), path)
        self.machines = {}
        for key in root.node("machines").value:
            node = Node(root.value["machines"][key], f"{path}.machines.{key}")
            peaks = (node.get(name, float) for name in ("fp32_tflops", "tensor_tflops", "gbs"))
            self.machines[key] = Peaks(node.need("name", str), *peaks)
        self.sources = {key: str(text) for key, text in root.node("sources").value.items()}
        self.rungs = []
        for row in root.nodes("figures"):
            self.rungs.append(
                Rung(
                    row.need("id", str),
                    row.need("system", str),
                    row.need("rung", str),
                    row.get("idea", str, ""),
                    row.need("type", str),
                    *(int(row.positive(size)) for size in "mnk"),
                    row.get("tflops", float),
                    row.get("percent_of_cublas", float),
                    None,
                    row.need("machine", str),
                )
            )
        self.ideas = {rung.id: rung.idea for rung in self.rungs}
