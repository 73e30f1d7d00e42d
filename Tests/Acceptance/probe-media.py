#!/usr/bin/env python3
"""Runs Graphs/probe.json over every media file and compares each stream's packets with ffmpeg's.

usage: probe-media.py SLUICE TABLE [--graph FILE] [--media DIR] [--only TEXT] [--jobs N]

The oracle is `ffmpeg -c copy -f framehash`: same streams, same number of packets, same payload hashes in order.
Where ffmpeg's copying differs, ffprobe's own packet hashes are asked too: they come from the same demuxer without
ffmpeg's muxing side. The table has a line a file; a difference that no rule below explains makes the exit code 1.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# A refusal must come within this many seconds.
PATIENCE = 5.0
# The demuxer's default bounds, so that both look equally far for streams.
BUDGET = ["-probesize", str(50 << 20), "-analyzeduration", "60000000"]

# MD5 of nothing: ffprobe leaves the hash of an empty packet out.
EMPTY = "d41d8cd98f00b204e9800998ecf8427e"

# Formats that name other resources, or are no title: the reader never opens them (docs: formats).
REFUSED = {
    "references": {"hls", "dash", "webm_dash_manifest", "concat", "imf", "vobsub", "sdp"},
    "pseudo": {"tty", "bin", "xbin", "adf", "idf", "sbg", "ffmetadata", "cdg", "s337m", "rawvideo", "bitpacked"},
}


def refusal(format_name):
    """Why a format that ffprobe opens is refused by design; None where it is not."""
    for reason, names in REFUSED.items():
        if format_name in names:
            return reason
    if format_name.startswith("image2") or format_name.endswith("_pipe") or format_name in ("ico", "fits", "alias_pix"):
        return "picture"
    return None


def call(words, timeout):
    begin = time.monotonic()
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
        return done.returncode, done.stdout, done.stderr, time.monotonic() - begin
    except subprocess.TimeoutExpired:
        return None, b"", b"", time.monotonic() - begin


def ffprobe(path):
    """Streams by index and the format's name, or None where ffprobe does not open the file."""
    code, out, _, _ = call(
        ["ffprobe", "-v", "error", *BUDGET, "-show_entries",
         "stream=index,codec_type,codec_name,codec_tag,sample_rate,width:stream_disposition=attached_pic:"
         "format=format_name,probe_score", "-of", "json", path], 10)
    if code != 0:
        return None
    try:
        found = json.loads(out)
    except ValueError:
        return None
    streams = {}
    for stream in found.get("streams", []):
        streams.setdefault(stream["index"], stream)
    return found.get("format", {}), streams


def framehash(path, streams):
    """Payload hashes by stream from ffmpeg's copy, and what it complained about."""
    chosen = [i for i, s in sorted(streams.items()) if s.get("codec_type") in ("video", "audio", "subtitle", "data")]
    if not chosen:
        return {}, ""
    while True:
        words = ["ffmpeg", "-v", "error", "-nostdin", *BUDGET, "-copyts", "-i", path]
        for index in chosen:
            words += ["-map", f"0:{index}"]
        words += ["-c", "copy", "-copyinkf", "-copypriorss", "1", "-copy_unknown", "-f", "framehash", "-hash", "md5"]
        code, out, err, _ = call(words + ["-"], 300)
        text = err.decode(errors="replace").strip()
        # A stream without a picture size or a sample rate has no place in any output.
        refused = re.search(r"Error initializing output stream 0:(\d+)", text)
        if code == 0 or not refused or len(chosen) == 1:
            break
        del chosen[int(refused.group(1))]
    if code != 0:
        return None, text or "ffmpeg failed"
    hashes = collections.defaultdict(list)
    for line in out.decode().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        cells = [cell.strip() for cell in line.split(",")]
        hashes[chosen[int(cells[0])]].append(cells[5])
    return dict(hashes), text


def packet_hashes(path):
    """The same from ffprobe, which only demultiplexes."""
    code, out, err, _ = call(
        ["ffprobe", "-v", "error", *BUDGET, "-show_packets", "-show_data_hash", "md5", "-show_entries",
         "packet=stream_index,data_hash", "-of", "json", path], 300)
    hashes = collections.defaultdict(list)
    for packet in json.loads(out or b"{}").get("packets", []):
        hashes[packet["stream_index"]].append(packet.get("data_hash", "MD5:" + EMPTY)[4:])
    return dict(hashes), err.decode(errors="replace").strip()


def packet_counts(sluice, path):
    """Packets by stream, those before a failure included."""
    _, out, _, _ = call([sluice, "packets", path], 120)
    return collections.Counter(int(row.split(",")[0]) for row in out.decode().splitlines()[1:])


def run(sluice, graph, path):
    handle, record = tempfile.mkstemp(suffix=".record")
    os.close(handle)
    os.unlink(record)
    try:
        code, out, err, seconds = call([sluice, "run", graph, path, "--record", record, "--json"], 120)
        report = None
        try:
            report = json.loads(out)
        except ValueError:
            pass
        hashes = collections.defaultdict(list)
        left = os.path.exists(record + ".part")
        if os.path.exists(record):
            with open(record) as lines:
                for line in lines:
                    cells = line.rstrip("\n").split(",")
                    if cells[0] == "packet":
                        hashes[int(cells[2])].append(cells[8])
        return code, report, err.decode(errors="replace").strip(), seconds, dict(hashes), left
    finally:
        for name in (record, record + ".part"):
            if os.path.exists(name):
                os.unlink(name)


def is_empty_audio(stream):
    return stream.get("codec_type") == "audio" and int(stream.get("sample_rate") or 0) == 0


def prefix(short, long):
    return len(short) < len(long) and long[: len(short)] == short


def compare(path, report, ours, form, streams):
    """(verdict, classes, detail) for a file both open."""
    theirs, complaint = framehash(path, streams)
    parked = {s["index"]: s["parked"] for s in report["streams"]}
    classes, details, second = set(), [], None
    if theirs is None:
        second = packet_hashes(path)
        theirs, classes = second[0], {"oracle-is-ffprobe"}
        details.append("ffmpeg: " + complaint.splitlines()[-1][:120])
    for index in sorted(set(theirs) | set(ours)):
        stream = streams.get(index, {})
        mine, other = ours.get(index, []), theirs.get(index, [])
        if mine == other:
            continue
        if parked.get(index) == "attachment" and not mine:
            is_picture = stream.get("disposition", {}).get("attached_pic")
            classes.add("attached-picture" if is_picture else "attachment")
            if not is_picture and stream.get("codec_type") != "attachment":
                return "FAIL", {"parked-media"}, f"#{index} parked as attachment"
            continue
        if parked.get(index) == "undecodable" and not mine:
            classes.add("parked-undecodable")
            continue
        if second is None:
            second = packet_hashes(path)
        if mine == second[0].get(index, []):
            classes.add("ffmpeg-cannot-copy" if not other else "ffmpeg-copy-differs")
            details.append(f"#{index} {len(mine)} packets here and in ffprobe, {len(other)} in ffmpeg's copy")
            continue
        probed = second[0].get(index, [])
        if prefix(probed, mine) and second[1]:
            classes.add("read-on-after-error")
            details.append(f"#{index} {len(mine)} packets, ffprobe stopped after {len(probed)}: {second[1][:100]}")
            continue
        where = next((i for i, (a, b) in enumerate(zip(mine, other)) if a != b), min(len(mine), len(other)))
        details.append(
            f"#{index} {stream.get('codec_type')}/{stream.get('codec_name')}: {len(mine)} here, {len(other)} ffmpeg, "
            f"{len(probed)} ffprobe, first difference at {where}, parked {parked.get(index)}")
        return "FAIL", {"packets-differ"}, "; ".join(details)
    if len(report["streams"]) != len(streams):
        return "FAIL", {"streams-differ"}, f"{len(report['streams'])} streams here, {len(streams)} in ffprobe"
    for note in report["notes"]:
        if "broke off" in note:
            classes.add("noted-truncated")
    return ("same" if not classes - {"noted-truncated"} else "by-design"), classes, "; ".join(details)


def check(sluice, graph, media, name):
    path = os.path.join(media, name)
    found = ffprobe(path)
    code, report, err, seconds, ours, left = run(sluice, graph, path)
    row = {"path": name, "format": found[0].get("format_name", "") if found else "", "seconds": f"{seconds:.2f}",
           "packets": str(sum(map(len, ours.values()))), "classes": set(), "detail": ""}
    error = (report or {}).get("error")
    if error and seconds > PATIENCE:
        # The machine may have been busy: only what is slow twice is slow.
        code, report, err, seconds, ours, left = run(sluice, graph, path)
        error = (report or {}).get("error")
        row["seconds"] = f"{seconds:.2f}"
    if left:
        row.update(verdict="FAIL", classes={"file-left-behind"})
    elif code is None or code < 0 or code > 1 or report is None:
        row.update(verdict="FAIL", classes={"crash"}, detail=f"exit {code}: {err[-200:]}")
    elif error and (seconds > PATIENCE or not error.get("code") or error["code"] == "internal-invariant"):
        row.update(verdict="FAIL", classes={"bad-refusal"}, detail=f"{seconds:.1f} s {error}")
    elif error and found and error["code"] == "malformed-input" and "attempt" in error["message"]:
        # It opened, then could not be read on: ffmpeg stopped no later, with a complaint.
        theirs, complaint = framehash(path, found[1])
        mine = packet_counts(sluice, path)
        agrees = all(mine[index] >= len(hashes) for index, hashes in (theirs or {}).items())
        row.update(verdict="by-design" if complaint and agrees else "FAIL", classes={"gave-up-after-errors"},
                   detail=f"{error['message']}; ffmpeg: {complaint.splitlines()[-1][:120] if complaint else 'fine'}")
    elif error and not found:
        row.update(verdict="refused-by-both", classes={error["code"]}, detail=error["message"])
    elif error:
        streams = found[1]
        reason = refusal(row["format"])
        if not reason and not streams:
            reason = "no-streams"
        elif not reason and all(is_empty_audio(s) or s.get("codec_type") in ("data", None) for s in streams.values()):
            reason = "no-media-streams"
        elif not reason and found[0].get("probe_score", 100) <= 5:
            reason = "probe-score"
        row.update(verdict="by-design" if reason else "FAIL", classes={"refused-" + (reason or error["code"])},
                   detail=error["message"])
    elif not found:
        # ffprobe gives up where it cannot open a decoder; copying needs none, so ffmpeg decides.
        streams = {s["index"]: {"codec_type": s["type"]} for s in report["streams"]}
        if framehash(path, streams)[0]:
            verdict, classes, detail = compare(path, report, ours, {}, streams)
            row.update(verdict=verdict, classes=classes | {"ffprobe-lacks-decoder"}, detail=detail)
        else:
            row.update(verdict="FAIL", classes={"opened-only-here"}, detail=f"{report['format']}")
    else:
        verdict, classes, detail = compare(path, report, ours, *found)
        row.update(verdict=verdict, classes=classes, detail=detail)
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sluice")
    parser.add_argument("table")
    parser.add_argument("--graph", default=os.path.join(ROOT, "Graphs", "probe.json"))
    shared = os.environ.get("SLUICE_SHARED") or os.path.join(os.path.dirname(ROOT), "shared")
    parser.add_argument("--media", default=os.path.join(shared, "media"))
    parser.add_argument("--only", default="", help="files whose path holds this; several with a comma between")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    with open(os.path.join(options.media, "manifest.tsv"), encoding="utf-8") as lines:
        names = [line.split("\t")[0] for line in lines][1:]
    names = [n for n in names if any(part in n for part in options.only.split(",")) and os.path.isfile(os.path.join(options.media, n))]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda n: check(options.sluice, options.graph, options.media, n), names))

    with open(options.table, "w", encoding="utf-8") as table:
        table.write("path\tverdict\tclasses\tformat\tpackets\tseconds\tdetail\n")
        for row in rows:
            detail = re.sub(r"[\t\r\n]+", " ", row["detail"])
            cells = [row["path"], row["verdict"], ",".join(sorted(row["classes"])), row["format"], row["packets"],
                     row["seconds"], detail]
            table.write("\t".join(cells) + "\n")
    verdicts = collections.Counter(row["verdict"] for row in rows)
    classes = collections.Counter(f"{row['verdict']}:{c}" for row in rows for c in row["classes"])
    for name, count in sorted(classes.items()):
        print(f"  {count:4} {name}")
    packets = sum(int(row["packets"]) for row in rows)
    print(f"{len(rows)} files, {packets} packets: " + ", ".join(f"{v} {k}" for k, v in sorted(verdicts.items())))
    return 1 if verdicts["FAIL"] else 0


sys.exit(main())
