"""The figures as a table of Markdown and as bars. A ratio is SPIN's figure over ours where less is better."""

import math

from cases import EXACT, LOSSY, OURS


def ratios(row):
    """How many times as good ample is as the best exact search of SPIN, quantity by quantity."""
    figures = row["figures"]
    exact = [figures[v] for v in EXACT if v in figures]
    if not exact:
        return {}
    ours, all_cores, compressed = (figures[name] for name in OURS)
    quick = min(exact, key=lambda f: f["cpu"])
    rate = lambda f, what: f[what] / max(f["cpu"], 1e-3)
    return {
        "search time": quick["cpu"] / max(ours["cpu"], 1e-3),
        "model to verdict": min(f["verdict"] for f in exact) / all_cores["verdict"],
        "states/s": rate(ours, "states") / rate(quick, "states"),
        "transitions/s": rate(ours, "transitions") / rate(quick, "transitions"),
        "bytes per state": min(f["store"] / f["states"] for f in exact) / max(ours["store"] / ours["states"], 1e-3),
        "peak memory": min(f["rss"] for f in exact) / ours["rss"],
        "bytes per state, compressed": min(f["store"] / f["states"] for f in exact) / (compressed["store"] / compressed["states"]),
        "compressed: time over flat": compressed["cpu"] / max(ours["cpu"], 1e-3),
        "all cores over one": ours["wall"] / max(all_cores["wall"], 1e-3),
    }


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def line(cells):
    return "| " + " | ".join(cells) + " |\n"


def markdown(report):
    measured = [(row, ratios(row)) for row in report["rows"]]
    names = list(next((r for _, r in measured if r), {}))
    out = ["## SPIN's best exact search over ample\n\nMore than 1 means that ample is ahead. Time and rates are compared "
           "with SPIN's fastest exact search of the case, memory with its smallest; ample has one worker there, and all cores from "
           "model to verdict. The last two columns are about ample alone: the time of the compressed store over that of the "
           "flat one, and the time of one worker on the clock over that of all cores.\n\n"]
    out.append(line(["case", "shows", *names]) + line(["---", "---", *["---:"] * len(names)]))
    for row, ratio in measured:
        out.append(line([row["case"], row["shows"], *[f"{ratio[n]:.2f}" for n in names if ratio]]))
    for title, chosen in [("full searches", lambda r: not r["reduced"]), ("reduced searches", lambda r: r["reduced"]),
                          ("products with a property", lambda r: r["claim"])]:
        some = [ratio for row, ratio in measured if ratio and chosen(row)]
        if some:
            out.append(line([f"**{title}**", "geometric mean", *[f"{geometric_mean(r[n] for r in some):.2f}" for n in names]]))
    out.extend(lossy(report))
    out.append(f"\n## Figures\n\nBest of {report['repeat']} on {report['cores']} cores, {report['machine']}. Seconds of the search "
               "are processor time of the whole process; bytes per state are what the tool says of its store, table included; "
               "peak memory is the kernel's figure.\n\n")
    head = ["case", "size", "search", "states", "transitions", "search, s", "to verdict, s", "states/s", "transitions/s",
            "bytes per state", "peak memory, MiB"]
    out.append(line(head) + line(["---"] * 3 + ["---:"] * 8))
    for row in report["rows"]:
        for tool, f in row["figures"].items():
            search = tool if tool.startswith("ample") else f"SPIN {tool}"
            search += ", wrong verdict" if f.get("wrong") else ""
            rate = lambda what: f"{f[what] / max(f['cpu'], 1e-3):,.0f}"
            out.append(line([row["case"], f"`{row['size']}`", search, f"{f['states']:,}", f"{f['transitions']:,}", f"{f['cpu']:.2f}",
                             f"{f['verdict']:.2f}", rate("states"), rate("transitions"), f"{f['store'] / f['states']:.1f}",
                             f"{f['rss'] / 2**20:,.0f}"]))
    return "".join(out)


def lossy(report):
    """Lines on the stores that lose states: SPIN's over ours."""
    pairs = [(row, theirs, row["figures"][theirs], row["figures"][ours]) for row in report["rows"]
             for theirs, (ours, _) in LOSSY.items() if ours in row["figures"]]
    if not pairs:
        return
    yield ("\n## Lossy stores\n\nSPIN's figure over ample's; states are those that SPIN stored too few or too many.\n\n"
           + line(["case", "SPIN's store", "search time", "bytes per state", "peak memory", "states"]) + line(["---", "---"] + ["---:"] * 4))
    for row, theirs, f, g in pairs:
        each = lambda h: h["store"] / h["states"]
        yield line([row["case"], theirs + (", wrong verdict" if f.get("wrong") else ""), f"{f['cpu'] / max(g['cpu'], 1e-3):.2f}",
                    f"{each(f) / each(g):.2f}", f"{f['rss'] / g['rss']:.2f}", f"{f['states'] - g['states']:+,}"])


WIDTH, LEFT, BAR = 860, 210, 11
SERIES = [("search time", "#0969da"), ("model to verdict", "#54aeff"), ("bytes per state", "#1a7f37"), ("peak memory", "#7bc47f")]


def chart(report):
    """Bars of the ratios on a logarithmic scale; left of the line at 1 SPIN is ahead."""
    rows = [(row, ratio) for row in report["rows"] if (ratio := ratios(row))]
    height = 80 + len(rows) * (len(SERIES) * BAR + 14) + 40
    top = max([2.0] + [r[n] for _, r in rows for n, _ in SERIES]) * 1.3
    low = min([0.5] + [r[n] for _, r in rows for n, _ in SERIES])
    x = lambda value: LEFT + (WIDTH - LEFT - 60) * (math.log(value) - math.log(low)) / (math.log(top) - math.log(low))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
           'font-family="system-ui, sans-serif" font-size="12" fill="#1f2328" role="img">',
           "<title>How many times as good as SPIN's best exact search</title>",
           f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
           f'<text x="{LEFT}" y="26" font-size="16" font-weight="600">ample and SPIN&apos;s best exact search: ratios</text>']
    for index, (name, colour) in enumerate(SERIES):
        place = LEFT + index * 140
        out.append(f'<rect x="{place}" y="42" width="12" height="12" fill="{colour}"/><text x="{place + 18}" y="52">{name}</text>')
    y = 76
    for row, ratio in rows:
        out.append(f'<text x="{LEFT - 12}" y="{y + 26}" text-anchor="end">{row["case"]}</text>')
        for name, colour in SERIES:
            a, b = sorted((x(1), x(ratio[name])))
            out.append(f'<rect x="{a:.1f}" y="{y}" width="{max(b - a, 1):.1f}" height="{BAR - 2}" fill="{colour}"/>'
                       f'<text x="{b + 5:.1f}" y="{y + BAR - 2}" font-size="10">{ratio[name]:.1f}</text>')
            y += BAR
        y += 14
    out.append(f'<line x1="{x(1):.1f}" x2="{x(1):.1f}" y1="66" y2="{y}" stroke="#57606a"/>')
    out.append(f'<text x="{x(1):.1f}" y="{y + 18}" text-anchor="middle">1 (logarithmic scale)</text></svg>')
    return "\n".join(out) + "\n"
