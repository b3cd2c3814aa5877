#!/usr/bin/env python3
"""The benchmark of record: SPIN at its best and ample, on the same models, in the same run.

    cargo build --release && benches/vs_spin/run.py

Every case of `cases.py` is searched by SPIN in each of its ways to store states (exact ones only where the search is
reduced) and by ample (one worker, all cores, compressed), in turn, three times; the least time counts. Full searches must store the same number of states,
and every verdict must be the expected one, or the run fails. Results go to `benches/vs_spin/results/`: `figures.json`,
`table.md`, `chart.svg`. Needs spin, gcc and python3.
"""

import argparse
import json
import os
import platform
import shlex
import sys
import tempfile

from cases import CASES, EXACT, LOSSY, OURS, VARIANTS
from render import chart, markdown
from tools import Ample, Mismatch, Spin

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def options():
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes, one run each: does everything still work?")
    parser.add_argument("--repeat", type=int, metavar="N", help="runs of each search [default: 3]")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases whose name contains this")
    parser.add_argument("--variants", default=",".join(VARIANTS), help="SPIN's ways to store states [default: all]")
    parser.add_argument("--ample", default=os.path.join(target, "release", "ample"), metavar="PROGRAM")
    parser.add_argument("--ample-flags", default="", metavar="FLAGS", help="more options for ample check")
    parser.add_argument("--out", default=os.path.join(HERE, "results"), metavar="DIR")
    chosen = parser.parse_args()
    chosen.repeat = chosen.repeat or (1 if chosen.quick else 3)
    chosen.variants = [v for v in VARIANTS if v in chosen.variants.split(",")]
    chosen.ample = os.path.abspath(chosen.ample)
    if not os.path.exists(chosen.ample):
        parser.error(f"there is no {chosen.ample}: cargo build --release")
    return chosen


def best(runs):
    """The least of every figure that chance makes larger; the others are the same in all runs."""
    least = ("cpu", "wall", "verdict", "rss")
    return {key: min(run[key] for run in runs) if key in least else runs[0][key] for key in runs[0]}


def measure(case, chosen, work):
    size = case.quick if chosen.quick else case.size
    model = os.path.join(HERE, "models", f"{case.model}.pml")
    more = shlex.split(chosen.ample_flags)
    ours = {name: Ample(chosen.ample, case, size, model, [*flags, *more]) for name, flags in OURS.items()}
    runs, spins = {name: [] for name in ours}, {}
    for variant in chosen.variants:
        # Reduced searches are compared by the time to the verdict; stores that lose states add nothing to that.
        if not case.reduced or variant in EXACT:
            cwd = os.path.join(work, f"{case.model}-{case.reduced}-{variant}")
            spins[variant] = Spin(case, variant, VARIANTS[variant], size, model, cwd)
            runs[variant] = []
            if variant in LOSSY:
                name, flags = LOSSY[variant]
                ours[name] = Ample(chosen.ample, case, size, model, flags)
                runs[name] = []
    if spins:
        # One run tells how large SPIN's table and stack have to be for it to be at its best.
        known = next(iter(spins.values())).run()
        for spin in spins.values():
            spin.tuned(known)
    for _ in range(chosen.repeat):
        for name, tool in [*ours.items(), *spins.items()]:
            runs[name].append(tool.run())
    figures = {tool: best(each) for tool, each in runs.items()}
    # Where a claim is in play the two products are different graphs, and so they are where each reduces in its own way.
    if not case.claim and not case.reduced:
        states = figures["ample"]["states"]
        for variant in filter(figures.get, (*EXACT, *OURS, "ample compact")):
            if figures[variant]["states"] != states:
                raise Mismatch(f"{case.name}: ample stores {states} states, {variant} {figures[variant]['states']}")
    return {"case": case.name, "shows": case.shows, "size": size, "claim": case.claim, "holds": case.holds,
            "reduced": case.reduced, "figures": figures}


def main():
    chosen = options()
    report = {"machine": platform.processor() or platform.machine(), "cores": os.cpu_count(), "repeat": chosen.repeat,
              "quick": chosen.quick, "ample_flags": chosen.ample_flags, "rows": []}
    wrong = 0
    with tempfile.TemporaryDirectory() as work:
        for case in (c for c in CASES if chosen.only in c.name):
            try:
                report["rows"].append(measure(case, chosen, work))
                print(f"{case.name}: done", file=sys.stderr)
            except Mismatch as mismatch:
                print(f"error: {mismatch}", file=sys.stderr)
                wrong += 1
            write(report, chosen.out)
    print(markdown(report))
    return 1 if wrong else 0


def write(report, folder):
    """Writes what there is so far: a run takes long."""
    os.makedirs(folder, exist_ok=True)
    files = {"figures.json": json.dumps(report, indent=1) + "\n", "table.md": markdown(report), "chart.svg": chart(report)}
    for name, text in files.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
