#!/usr/bin/env python3
"""Packages every media file and checks the presentation with hlscheck.

usage: package-media.py SLUICE HLSCHECK TABLE [--media DIR] [--only TEXT] [--jobs N] [--shape renditions|muxed] [--keep DIR]

A file passes when its presentation has no error, or when it is refused with a code that says why. Parts of
presentations, discs and subtitles are offered like everything else; what is refused is counted by folder and code. A
crash, a time out, a refusal that blames Sluice itself and any error of the checker make the exit code 1. The table has
a line a file: path, verdict, code or segments, codecs, errors by rule, warnings by rule, seconds, the message.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import acceptance
from acceptance import ROOT



def call(words, timeout):
    begin = time.monotonic()
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
        return done.returncode, done.stdout, done.stderr, time.monotonic() - begin
    except subprocess.TimeoutExpired:
        return None, b"", b"", time.monotonic() - begin


def rules(findings, level):
    counts = collections.Counter(f.get("rule") or f.get("id") for f in findings if f.get("level") == level)
    return " ".join(f"{rule}={count}" for rule, count in sorted(counts.items(), key=str))


def examine(path, arguments):
    name = os.path.relpath(path, arguments.media)
    folder = tempfile.mkdtemp(prefix="package-", dir=arguments.scratch)
    try:
        code, out, err, seconds = call(
            [arguments.sluice, "package", path, folder, "--shape", arguments.shape, "--json"], 120)
        row = {"path": name, "seconds": f"{seconds:.2f}", "codecs": "", "errors": "", "warnings": "", "message": ""}
        if code is None:
            return dict(row, verdict="TIMEOUT", detail="")
        if code < 0 or code > 3:
            return dict(row, verdict="CRASH", detail=str(code), message=err.decode(errors="replace")[-300:])
        try:
            report = json.loads(out.decode().strip().splitlines()[-1])
        except (ValueError, IndexError):
            return dict(row, verdict="CRASH", detail="no report", message=err.decode(errors="replace")[-300:])
        if code != 0:
            verdict, refused, message = acceptance.refusal(report)
            return dict(row, verdict=verdict, detail=str(refused), message=str(message))
        code, out, err, _ = call([arguments.hlscheck, "--decode", "--json", folder + "/master.m3u8"], 300)
        if code is None or code > 1:
            return dict(row, verdict="CHECKER", detail=str(code), message=err.decode(errors="replace")[-300:])
        found = json.loads(out)
        findings = found.get("findings", [])
        errors, warnings = rules(findings, "ERROR"), rules(findings, "WARN")
        first = next((f for f in findings if f.get("level") == "ERROR"), None)
        playlist = open(folder + "/master.m3u8").read()
        codecs = playlist.split('CODECS="')[1].split('"')[0] if 'CODECS="' in playlist else ""
        return dict(
            row, verdict="ERRORS" if code else "ok", detail=f"{report['segments']} {report['basis']}", codecs=codecs,
            errors=errors, warnings=warnings, message=json.dumps(first) if first else "")
    finally:
        if arguments.keep:
            shutil.copytree(folder, os.path.join(arguments.keep, name.replace("/", "_")), dirs_exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sluice")
    parser.add_argument("hlscheck")
    parser.add_argument("table")
    parser.add_argument("--media", default=os.path.join(os.environ.get("SLUICE_SHARED", ROOT + "/../shared"), "media"))
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--shape", default="renditions")
    parser.add_argument("--scratch", default="/dev/shm" if os.path.isdir("/dev/shm") else None)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    paths = []
    with open(os.path.join(arguments.media, "manifest.tsv")) as manifest:
        next(manifest)
        for line in manifest:
            name = line.split("\t")[0]
            if arguments.only in name:
                paths.append(os.path.join(arguments.media, name))
    columns = ["path", "verdict", "detail", "codecs", "errors", "warnings", "seconds", "message"]
    counts = collections.Counter()
    refusals = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool, open(arguments.table, "w") as table:
        table.write("\t".join(columns) + "\n")
        for row in pool.map(lambda path: examine(path, arguments), paths):
            counts[row["verdict"]] += 1
            if row["verdict"] == "refused":
                refusals[(row["path"].split("/")[0], row["detail"])] += 1
            table.write("\t".join(str(row.get(c, "")).replace("\t", " ").replace("\n", " ") for c in columns) + "\n")
            table.flush()
    for (folder, code), count in sorted(refusals.items()):
        print(f"refused {folder}/ {code} {count}")
    print(" ".join(f"{verdict} {count}" for verdict, count in sorted(counts.items())))
    return 1 if set(counts) - {"ok", "refused"} else 0


if __name__ == "__main__":
    sys.exit(main())
