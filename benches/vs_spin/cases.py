"""The cases of the benchmark: which model, at which size, searched how.

Sizes of record lie between 10^6 and 3*10^7 states; quick ones are for smoke tests.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    shows: str
    model: str
    size: str
    quick: str
    reduced: bool = False
    claim: str = ""
    holds: bool = True

    @property
    def name(self):
        return f"{self.model}, {'reduced' if self.reduced else 'full'}"


CASES = [
    Case("narrow vectors", "narrow", "L=30 M=60", "L=6 M=12"),
    Case("wide vectors", "wide", "N=3 ROOM=200", "N=3 ROOM=20"),
    Case("many processes", "many", "N=24 SEATS=5", "N=10 SEATS=4"),
    Case("deep stack", "deep", "LENGTH=150000", "LENGTH=600"),
    Case("rendezvous", "rendezvous", "N=6 V=4", "N=4 V=3"),
    Case("buffered channels", "buffered", "N=4 CAPACITY=3 V=2", "N=2 CAPACITY=3 V=3"),
    Case("property holds", "ring", "N=6 WORK=4", "N=4 WORK=3", claim="comes_round"),
    Case("property fails late", "lock", "DIGITS=5 WALK=6", "DIGITS=3 WALK=3", claim="quiet", holds=False),
    Case("narrow vectors", "narrow", "L=45 M=90", "L=8 M=16", reduced=True),
    Case("many processes", "many", "N=24 SEATS=5", "N=10 SEATS=4", reduced=True),
    Case("rendezvous", "rendezvous", "N=6 V=5", "N=4 V=4", reduced=True),
    Case("buffered channels", "buffered", "N=4 CAPACITY=3 V=3", "N=2 CAPACITY=3 V=3", reduced=True),
    Case("property holds", "ring", "N=6 WORK=6", "N=4 WORK=4", reduced=True, claim="comes_round"),
    Case("property fails late", "lock", "DIGITS=4 WALK=20", "DIGITS=3 WALK=8", reduced=True, claim="quiet", holds=False),
]

# Ways to search with ample. What is compared with SPIN, which has one thread, is one worker.
OURS = {
    "ample": ["--workers", "1"],
    "ample, all cores": [],
    "ample, compressed": ["--workers", "1", "--store", "compressed"],
}

# SPIN's ways to store states. The first two are exact: they are what our exact store is compared with.
VARIANTS = {"default": [], "COLLAPSE": ["-DCOLLAPSE"], "HC4": ["-DHC4"], "BITSTATE": ["-DBITSTATE"]}
EXACT = ("default", "COLLAPSE")
# Our lossy stores, by the one of SPIN's that each is compared with.
LOSSY = {
    "HC4": ("ample compact", ["--workers", "1", "--store", "compact"]),
    "BITSTATE": ("ample bitstate", ["--workers", "1", "--store", "bitstate"]),
}
