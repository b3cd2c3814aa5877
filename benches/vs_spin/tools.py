"""Running SPIN and ample: what one run took, as a dictionary.

`cpu` are the seconds of processor time of the whole process that searches (pan, or ample with its compilation), `wall`
those until it is done, `rss` the most memory it had, in bytes, as the kernel saw it. `store` is what the tool itself says
its states and its table take.
"""

import json
import math
import os
import re
import subprocess
import tempfile
import time

from cases import EXACT

GCC = ["gcc", "-O3", "-march=native", "-w", "-DMEMLIM=20000", "-o", "pan", "pan.c"]

# Length of paths until a first run has told what SPIN needs: it reserves its stack beforehand.
DEPTH = 20_000_000


class Mismatch(Exception):
    """Two searches that must agree do not."""


def timed(command, cwd):
    """Runs a command; gives its output and its figures."""
    with tempfile.TemporaryFile() as out:
        start = time.monotonic()
        process = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.STDOUT)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        wall = time.monotonic() - start
        out.seek(0)
        text = out.read().decode(errors="replace")
    return text, {"cpu": usage.ru_utime + usage.ru_stime, "wall": wall, "rss": usage.ru_maxrss * 1024}


def defines(size):
    return [f"-D{one}" for one in size.split()]


class Ample:
    """`ample` on one case."""

    def __init__(self, program, case, size, model, extra):
        what = ["--claim", case.claim] if case.claim else ["--check", "safety"]
        how = [] if case.reduced else ["--plain"]
        output = ["--no-trail", "--no-warnings", "--format", "json"]
        self.command = [program, "check", model, *defines(size), *what, *how, *output, *extra]
        self.cwd = os.path.dirname(model)
        self.case = case
        self.lossy = "compact" in extra or "bitstate" in extra

    def run(self):
        text, figures = timed(self.command, self.cwd)
        try:
            result = json.loads(text[text.index("{"):])["results"][0]
        except (ValueError, LookupError) as error:
            raise Mismatch(f"{' '.join(self.command)} gave no result: {text[:400]}") from error
        wrong = (result["verdict"] == "violated") == self.case.holds
        if wrong and (self.case.holds or not self.lossy):
            raise Mismatch(f"{self.case.name}: ample says {result['verdict']}")
        if not wrong and self.lossy and self.case.holds and "lossy" not in result["reason"]:
            raise Mismatch(f"{self.case.name}: ample was stopped: {result['reason']}")
        figures["wrong"] = wrong
        figures |= {key: result[key] for key in ("states", "transitions", "depth")}
        figures["store"] = result["memory_bytes"]["store"]
        # From model to verdict there is nothing but this process.
        figures["verdict"] = figures["wall"]
        return figures


class Spin:
    """SPIN on one case with one way to store states."""

    def __init__(self, case, variant, flags, size, model, cwd):
        self.case, self.variant, self.cwd = case, variant, cwd
        os.makedirs(cwd)
        plain = [] if case.reduced else ["-o1", "-o2", "-o3"]
        kind = ["-DNOFAIR"] if case.claim else ["-DSAFETY", "-DNOCLAIM"]
        full = [] if case.reduced else ["-DNOREDUCE"]
        start = time.monotonic()
        subprocess.run(["spin", *plain, *defines(size), "-a", model], cwd=cwd, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([*GCC, *flags, *kind, *full], cwd=cwd, check=True)
        self.built = time.monotonic() - start
        self.make_room(2**22, DEPTH)

    def make_room(self, states, depth):
        """Sizes the table and the stack: a slot a state, or 128 bits."""
        bits = math.ceil(math.log2(states)) + (7 if self.variant == "BITSTATE" else 0)
        self.command = ["./pan", "-n", f"-m{depth}", f"-w{bits}", *(["-a"] if self.case.claim else [])]

    def tuned(self, known):
        """Makes room for a search that is known to go that far; one that loses states may go a little further."""
        self.make_room(known["states"], known["depth"] + known["depth"] // 20 + 1000)

    def run(self):
        text, figures = timed(self.command, self.cwd)
        number = lambda pattern: float((re.search(pattern, text) or [0, "0"])[1])
        if "max search depth too small" in text or "out of memory" in text or not number(r"(\d+) states, stored"):
            raise Mismatch(f"{self.case.name}: SPIN ({self.variant}) did not finish: {text[-600:]}")
        figures["wrong"] = (number(r"errors: (\d+)") == 0) != self.case.holds
        # Stores that lose states miss violations, and may take two states for one cycle.
        if figures["wrong"] and self.variant in EXACT:
            raise Mismatch(f"{self.case.name}: SPIN ({self.variant}) has another verdict")
        figures["states"] = int(number(r"(\d+) states, stored"))
        # Of a product SPIN counts what both of its searches visited.
        figures["transitions"] = int(number(r"(\d+) transitions \(="))
        figures["depth"] = int(number(r"depth reached (\d+)"))
        megabytes = number(r"([\d.]+)\s+actual memory usage for states") + number(r"([\d.]+)\s+memory used for hash table")
        megabytes += number(r"([\d.]+)\s+memory used for hash array")
        figures["store"] = int(megabytes * 2**20)
        figures["verdict"] = self.built + figures["wall"]
        return figures
