#!/usr/bin/env python3
"""Packages truncated and bit-flipped copies of media files.

usage: damage-media.py SLUICE HLSCHECK TABLE [--media DIR] [--files N] [--only TEXT] [--kinds a,b] [--jobs N]

Takes N (50) files that package well as they are, from as many containers as there are, always the same ones. Of each it
makes copies cut at 10, 50 and 90 %, one with a flipped bit every 10 kB and one with 20 flipped bits in the first 4 kB.
A copy passes when it is packaged and hlscheck finds nothing but what the damaged pictures and sound themselves cause,
or when it is refused with a code that says why. A crash, more than 60 s, more than 512 MiB, a refusal that blames
Sluice itself and any other error of the checker make the exit code 1. The table has a line a copy: path, damage,
verdict, code or segments, MiB, seconds, errors by rule, the message.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import acceptance
from acceptance import ROOT

# Parts of presentations, things that are no titles, and files that are damaged already.
SKIPPED = ("dash/", "hls/", "disc/", "subtitles/", "malformed/")
LARGEST = 24 << 20
TIME_LIMIT = 60
MEMORY_LIMIT = 512
# What the checker says of samples whose bytes are damaged: they were copied as they were.
OF_THE_SOURCE = ("DEC-", "NAL-", "AUD-FRAME", "AUD-DUR", "OBU-", "DEC3", "DAC3", "TL-POC")
KINDS = ("cut10", "cut50", "cut90", "flips", "head")


def damage(data, kind, name):
    """The damaged copy: the same one in every run."""
    if kind.startswith("cut"):
        return data[: len(data) * int(kind[3:]) // 100]
    generator = random.Random(int.from_bytes(hashlib.sha256(f"{name}/{kind}".encode()).digest()[:8], "big"))
    copy = bytearray(data)
    if kind == "flips":
        for start in range(0, len(copy), 10_000):
            copy[start + generator.randrange(min(10_000, len(copy) - start))] ^= 1 << generator.randrange(8)
    else:
        for _ in range(20):
            copy[generator.randrange(min(4096, len(copy)))] ^= 1 << generator.randrange(8)
    return bytes(copy)


def package(sluice, path, folder, extra):
    """Exit code (None after the time limit), report, standard error, seconds, peak MiB."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [sluice, "package", path, folder, "--json"] + extra, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        code, peak = "late", 0
        while time.monotonic() - begin < TIME_LIMIT:
            done, status, usage = os.wait4(process.pid, os.WNOHANG)
            if done:
                code, peak = os.waitstatus_to_exitcode(status), usage.ru_maxrss // 1024
                process.returncode = code
                break
            time.sleep(0.01)
        if code == "late":
            process.send_signal(signal.SIGKILL)
            process.wait()
            code = None
        out.seek(0)
        err.seek(0)
        return code, out.read(), err.read().decode(errors="replace"), time.monotonic() - begin, peak


def check(hlscheck, folder, decode):
    words = [hlscheck, "--json"] + (["--decode"] if decode else []) + [folder + "/master.m3u8"]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, "late"
    if done.returncode > 1:
        return None, done.stderr.decode(errors="replace")[-300:]
    return [f for f in json.loads(done.stdout).get("findings", []) if f.get("level") == "ERROR"], ""


def is_of_source(finding):
    """Whether the damage explains it. FRAME-RATE is the highest rate, so missing pictures measure less than it says."""
    rates = re.findall(r"(?:FRAME-RATE|measured) ([0-9.]+)", finding.get("message", ""))
    if rule(finding) == "MA-FRAMERATE" and len(rates) == 2:
        return float(rates[0]) > float(rates[1])
    return rule(finding).startswith(OF_THE_SOURCE)


def rule(finding):
    return finding.get("rule") or finding.get("id") or ""


def examine(name, kind, data, arguments):
    """The row of one copy; `kind` None looks at the file itself."""
    folder = tempfile.mkdtemp(prefix="damage-", dir=arguments.scratch)
    row = {"path": name, "damage": kind or "", "message": "", "errors": ""}
    try:
        path = os.path.join(folder, "in" + os.path.splitext(name)[1])
        with open(path, "wb") as file:
            file.write(damage(data, kind, name) if kind else data)
        extra = ["--graphs", arguments.graphs] if arguments.graphs else []
        code, out, err, seconds, peak = package(arguments.sluice, path, folder + "/out", extra)
        row.update(seconds=f"{seconds:.2f}", memory=peak)
        if code is None:
            return dict(row, verdict="TIMEOUT", detail="")
        if code < 0 or code > 3:
            return dict(row, verdict="CRASH", detail=code, message=err[-300:])
        try:
            report = json.loads(out.decode().strip().splitlines()[-1])
        except (ValueError, IndexError):
            return dict(row, verdict="CRASH", detail="no report", message=err[-300:])
        if peak > MEMORY_LIMIT:
            return dict(row, verdict="MEMORY", detail=code)
        if code != 0:
            verdict, refused, message = acceptance.refusal(report)
            return dict(row, verdict=verdict, detail=refused, message=message)
        findings, trouble = check(arguments.hlscheck, folder + "/out", decode=kind is None)
        if findings is None:
            return dict(row, verdict="CHECKER", detail="", message=trouble)
        own = [f for f in findings if kind is None or not is_of_source(f)]
        counts = collections.Counter(rule(f) for f in findings)
        return dict(
            row, verdict="ERRORS" if own else "ok", detail=f"{report['segments']} {report['basis']}",
            errors=" ".join(f"{r}={c}" for r, c in sorted(counts.items())),
            message=json.dumps(own[0]).replace(folder, "") if own else "")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def candidates(arguments):
    """Names in turn from each container, within one by checksum: neither size nor alphabet decides."""
    kinds = collections.defaultdict(list)
    with open(os.path.join(arguments.media, "manifest.tsv")) as manifest:
        next(manifest)
        for line in manifest:
            name, size, checksum = line.split("\t")[:3]
            path = os.path.join(arguments.media, name)
            usable = name.isascii() and os.path.isfile(path) and 4096 < os.path.getsize(path) <= LARGEST
            if usable and arguments.only in name and not name.startswith(SKIPPED):
                kinds[os.path.splitext(name)[1].lower()].append((checksum, name))
    turns = [(place, kind, name) for kind, list_ in kinds.items() for place, (_, name) in enumerate(sorted(list_))]
    return [name for _, _, name in sorted(turns)]


def read(name, arguments):
    with open(os.path.join(arguments.media, name), "rb") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sluice")
    parser.add_argument("hlscheck")
    parser.add_argument("table")
    parser.add_argument("--media", default=os.path.join(os.environ.get("SLUICE_SHARED", ROOT + "/../shared"), "media"))
    parser.add_argument("--files", type=int, default=50)
    parser.add_argument("--only", default="")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--graphs")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--scratch", default="/dev/shm" if os.path.isdir("/dev/shm") else None)
    arguments = parser.parse_args()
    columns = ["path", "damage", "verdict", "detail", "memory", "seconds", "errors", "message"]
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool, open(arguments.table, "w") as table:
        table.write("\t".join(columns) + "\n")
        chosen = []
        for name in candidates(arguments):
            if len(chosen) == arguments.files:
                break
            if examine(name, None, read(name, arguments), arguments)["verdict"] == "ok":
                chosen.append(name)
        jobs = [(name, kind) for name in chosen for kind in arguments.kinds.split(",")]
        for row in pool.map(lambda job: examine(*job, read(job[0], arguments), arguments), jobs):
            counts[row["verdict"]] += 1
            line = [str(row.get(column, "")).replace("\t", " ").replace("\n", " ") for column in columns]
            table.write("\t".join(line) + "\n")
            table.flush()
    print(len(chosen), "files:", " ".join(f"{verdict} {count}" for verdict, count in sorted(counts.items())))
    return 1 if set(counts) - {"ok", "refused"} or len(chosen) < arguments.files else 0


if __name__ == "__main__":
    sys.exit(main())
