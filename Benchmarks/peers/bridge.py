#!/usr/bin/env python3
"""Compares `sluice package` of a film whose sound is bridged with ffmpeg doing the same, on one core, in turn.

    bridge.py SLUICE [--seconds 600] [--pairs 3]

Prints how many times real time each is and their ratio; only the ratio means something on a busy machine.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time

PAIRS = [
    ("truehd to eac3", ["-c:a", "truehd", "-strict", "-2"], "5.1", "surround", ["-c:a", "eac3", "-b:a", "768k"]),
    ("dts to flac", ["-c:a", "dca", "-strict", "-2"], "5.1(side)", "lossless", ["-c:a", "flac", "-sample_fmt", "s16"]),
    ("mp2 to aac", ["-c:a", "mp2", "-b:a", "192k"], "stereo", "aac", ["-c:a", "aac", "-b:a", "192k"]),
]


def timed(command):
    begin = time.monotonic()
    subprocess.run(["taskset", "-c", "0"] + command, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sluice")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--graphs", default=os.path.join(os.path.dirname(__file__), "../../Graphs"))
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="sluice-bridge-")
    try:
        for name, coder, layout, mode, target in PAIRS:
            film = os.path.join(folder, "film.mkv")
            subprocess.run(
                ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=s=64x36:r=5:d={options.seconds}",
                 "-f", "lavfi", "-i", f"anoisesrc=color=pink:amplitude=0.3:r=48000:d={options.seconds}",
                 "-af", f"aformat=channel_layouts={layout}", "-c:v", "libx264", "-preset", "ultrafast", "-g", "20"]
                + coder + [film], check=True, stdin=subprocess.DEVNULL)
            ours, theirs = [], []
            for _ in range(options.pairs):
                out = os.path.join(folder, "out")
                shutil.rmtree(out, ignore_errors=True)
                ours.append(timed([options.sluice, "package", "--graphs", options.graphs, "--audio", mode, film, out]))
                theirs.append(timed(["ffmpeg", "-y", "-i", film, "-map", "0:a", "-threads", "1"] + target
                                    + [os.path.join(folder, "out.mkv")]))
            mine, other = statistics.median(ours), statistics.median(theirs)
            print(f"{name}: {options.seconds / mine:.1f} x real time, ffmpeg {options.seconds / other:.1f} x, "
                  f"throughput {other / mine:.2f} of ffmpeg's")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
