"""Made-up reports of machines that do not exist, in the formats of gemm ceilings, gemm bench and gemm ladder."""


def ceiling(name, burst=None, sustained=None, unit="TFLOP/s", missing=None):
    made = {"name": name, "unit": unit, "what": "made up"}
    if missing:
        made["missing"] = missing
    if burst:
        made["burst"] = {"rate": burst, "mhz": 1980}
    if sustained:
        made["sustained"] = {"rate": sustained, "mhz": 1700, "watts": 690}
    return made


def ceilings(device="NVIDIA Made-up 1000", wgmma=True):
    last = {"burst": 900, "sustained": 830} if wgmma else {"missing": "compute capability 12.0 has no wgmma"}
    return {
        "command": "gemm ceilings", "date": "2026-11-22T00:00:00Z", "libgemm": "0.1.0", "driver": "Driver 1 with CUDA 13.0",
        "device": {"name": device, "sms": 132, "l2_bytes": 6e7, "max_sm_mhz": 1980, "power_limit_watts": 700},
        "ceilings": [
            ceiling("memory_read", 4500, 4400, "GB/s"),
            ceiling("l2_read", 8000, 7900, "GB/s"),
            ceiling("ffma_fp32", 64, 62),
            ceiling("mma_bf16", 640, 630),
            ceiling("wgmma_bf16", **last),
        ],
    }


def case(m, n, k, kind="bf16", ratio=1.1, tflops=500.0):
    us = 2e-6 * m * n * k / tflops
    made = {"layout": "nk", "m": m, "n": n, "k": k, "batch": 1, "in": kind, "out": kind, "kernel": "made_up",
            "us": us, "tflops": tflops, "gbs": 2e-3 * (m * n + n * k + m * k) / us}
    if ratio:
        made["ratio"] = ratio
    return made


def bench(cases=None, **more):
    if cases is None:
        cases = [case(s, s, s) for s in (512, 1024)] + [case(m, 512, 256, tflops=50.0) for m in (1, 16)]
        cases.append({"layout": "nk", "m": 7, "failure": "out of memory"})
    return {"date": "2026-11-22T00:00:00Z", "device": "NVIDIA Made-up 1000, 132 SMs", "driver": "Driver 1",
            "rival": "cuBLASLt 1.0", "edges": "plain", "cases": cases, **more}


def rung(name, us=None, failure=None):
    made = {"side": "rung", "name": name, "config": "made up"}
    if us:
        made["median_us"] = us
    if failure:
        made["failure"] = failure
    return made


def ladder():
    size = {"layout": "kn", "m": 4096, "n": 4096, "k": 4096, "batch": 1, "in": "fp32", "out": "fp32"}
    entrants = [rung("S0-01", 40000), rung("S0-03", failure="m is 4096; 7 is allowed"), rung("S0-08", 3000),
                rung("S0-03-tm4", 5000), {"side": "ours", "name": "row", "median_us": 2500},
                {"side": "rival", "name": "heuristic 0", "median_us": 2700},
                {"side": "rival default", "name": "default", "median_us": 2800}]
    return bench([{**size, "entrants": entrants}])


def machine(**more):
    return {"libgemm_machine": 1, "name": "Made-up", "failures": [], "ceilings": ceilings(), "bench": [bench()],
            "ladder": [ladder()], **more}
