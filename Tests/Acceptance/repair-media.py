#!/usr/bin/env python3
"""Shows that repair leaves healthy files alone: every packet of every served stream, with and without it.

usage: repair-media.py SLUICE TABLE [--media DIR] [--only TEXT] [--jobs N]

Files in a folder `malformed` are no healthy ones.

A file is healthy where `sluice plan` takes the times and the marks of random access points from the container and every
packet for a picture of its own. There `sluice packets --hash` and the same with `--repaired` must list the same bytes in
the same order for every served stream, but for packets before the title's first picture and after its last; and the times
must differ by one offset, within the rounding of the coarser clock or of one of milliseconds. The table has a line a file; a difference makes
the exit code 1.
"""

import argparse
import concurrent.futures
import csv
import fractions
import io
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE = 120


def call(words):
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
        return done.returncode, done.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        return None, ""


def packets(sluice, path, *options):
    """Rows by stream: (hash, pts or None)."""
    code, text = call([sluice, "packets", path, "--hash", *options])
    streams = {}
    if code != 0:
        return None
    for row in csv.DictReader(io.StringIO(text)):
        pts = int(row["pts"]) if row["pts"] else None
        streams.setdefault(int(row["stream"]), []).append((row["hash"], pts))
    return streams


def without_leading(before, rows):
    """The source's packets without the pictures that lead to the title's first one: nothing decodes them."""
    first = next((i for i, row in enumerate(before) if rows and row[0] == rows[0][0]), None)
    if first is None or before[first][1] is None:
        return before
    opening = before[first][1]
    return before[:first] + [row for row in before[first:] if row[1] is None or row[1] >= opening]


def place(whole, part):
    """Where `part` lies in `whole` without a gap; None where it does not."""
    if not part:
        return 0
    for start in (i for i, value in enumerate(whole) if value == part[0]):
        if whole[start:start + len(part)] == part:
            return start
    return None


def look(sluice, path):
    code, text = call([sluice, "plan", path, "--json"])
    if code != 0:
        return "refused", ""
    plan = json.loads(text)
    repairs = plan["repairs"]
    if repairs["times"] != "container" or repairs["marks"] or repairs["parts"] or repairs["unplaced"]:
        return "repaired", json.dumps(repairs)
    if plan["pieces"]:
        return "pieces", str(len(plan["pieces"]))
    raw, mended = packets(sluice, path), packets(sluice, path, "--repaired")
    if raw is None or mended is None:
        return "unread", ""
    code, text = call([sluice, "probe", path, "--json"])
    bases = {s["index"]: s["timebase"] for s in json.loads(text)["streams"]} if code == 0 else {}
    notes = []
    for stream, rows in sorted(mended.items()):
        before = raw.get(stream, [])
        start = place([h for h, _ in before], [h for h, _ in rows])
        if start is None:
            before = without_leading(before, rows)
            start = place([h for h, _ in before], [h for h, _ in rows])
        if start is None:
            return "DIFFERS", f"stream {stream}: {len(rows)} of {len(before)} packets are not a run of the source's"
        if len(rows) != len(before):
            notes.append(f"stream {stream}: {start} before, {len(before) - start - len(rows)} after")
        moved = drift(rows, before[start:], bases.get(stream))
        if moved:
            return "DIFFERS", f"stream {stream}: {moved}"
    return "same", "; ".join(notes)


def drift(rows, before, base):
    """What the times do that one offset does not explain; None where it does."""
    pairs = [(new, old) for (_, new), (_, old) in zip(rows, before) if new is not None and old is not None]
    if len(pairs) < 2 or not base:
        return None
    tick = fractions.Fraction(*(int(part) for part in base.split("/"))) if "/" in base else None
    if tick is None:
        return None
    span_new, span_old = pairs[-1][0] - pairs[0][0], (pairs[-1][1] - pairs[0][1]) * tick
    if span_new == 0 or span_old == 0:
        return None
    # The output clock is not printed: it is the one near the ratio of the spans under which the times agree best.
    guess = round(span_new / span_old)
    if guess <= 3:
        return "time runs backwards"
    worst, scale = min((worst_off(pairs, tick, scale), scale) for scale in range(guess - 3, guess + 4))
    # Clocks of milliseconds are put on the exact grid behind them (decisions: rounding); so are stamps that were
    # rounded to such a clock before.
    if worst > max(2, 2 * tick * scale, fractions.Fraction(scale, 900)):
        return f"times lie up to {float(worst):.1f} ticks of 1/{scale} off"
    return None


def worst_off(pairs, tick, scale):
    """The largest distance of a time from where one offset puts it, in ticks of the output."""
    return max(abs((new - pairs[0][0]) - (old - pairs[0][1]) * tick * scale) for new, old in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sluice")
    parser.add_argument("table")
    parser.add_argument("--media", default=os.path.join(os.path.dirname(ROOT), "shared", "media"))
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    files = sorted(
        os.path.join(folder, name) for folder, _, names in os.walk(options.media) for name in names
        if f"{os.sep}malformed{os.sep}" not in folder + os.sep and options.only in os.path.join(folder, name) and not name.endswith((".md", ".tsv")))
    counts = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, open(options.table, "w") as table:
        for path, (verdict, note) in zip(files, pool.map(lambda path: look(options.sluice, path), files)):
            counts[verdict] = counts.get(verdict, 0) + 1
            print(verdict, os.path.relpath(path, options.media), note, sep="\t", file=table, flush=True)
    print(" ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    return 1 if counts.get("DIFFERS") else 0


if __name__ == "__main__":
    sys.exit(main())
