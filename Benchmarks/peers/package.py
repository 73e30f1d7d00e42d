#!/usr/bin/env python3
"""sluice package against ffmpeg -c copy -f hls, in alternating pairs, from tmpfs to tmpfs.

  Benchmarks/peers/package.py [--pairs 5] [--size-mb 1000] [--height 720|1080] [--shape renditions|muxed] [--input FILE] [--check HLSCHECK]

Prints the medians of wall time, processor time (user + system) and peak resident memory of both, and their ratios;
then how fast `sluice plan --basis scan` reads the file. Figures of one machine mean little: the ratios do.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SEED_SECONDS = 30
# Picture size and Mbit/s by height: what a good 720p film and a rich 1080p film have.
FILMS = {720: ("1280x720", 8), 1080: ("1920x1080", 20)}


def film(path, megabytes, height):
    """A film of about that size: half a minute of noisy pictures, repeated."""
    size, rate = FILMS[height]
    seed = path + ".seed.mkv"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y",
         "-f", "lavfi", "-i", f"testsrc2=size={size}:rate=25:duration={SEED_SECONDS},noise=alls=20:allf=t",
         "-f", "lavfi", "-i", f"sine=frequency=440:beep_factor=4:duration={SEED_SECONDS}",
         "-map", "0:v", "-map", "1:a", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p",
         "-g", "50", "-b:v", f"{rate}M", "-maxrate", f"{rate * 5 // 4}M", "-bufsize", f"{rate}M", "-c:a", "aac", "-b:a", "160k", seed],
        check=True)
    loops = max(0, megabytes * 1_000_000 // max(1, os.path.getsize(seed)) - 1)
    subprocess.run(
        ["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-stream_loop", str(loops), "-i", seed,
         "-map", "0", "-c", "copy", path],
        check=True)
    os.remove(seed)


def run(command, log):
    """Wall seconds, processor seconds and peak resident KiB of one run."""
    with open(log, "wb") as sink:
        begin = time.monotonic()
        child = os.fork()
        if child == 0:
            os.dup2(sink.fileno(), 1)
            os.dup2(sink.fileno(), 2)
            os.execvp(command[0], command)
        _, status, usage = os.wait4(child, 0)
        wall = time.monotonic() - begin
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}\n" + open(log, errors="replace").read()[-2000:])
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def median(runs, index):
    return statistics.median(figures[index] for figures in runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--size-mb", type=int, default=1000)
    parser.add_argument("--height", type=int, default=1080, choices=sorted(FILMS))
    parser.add_argument("--shape", default="renditions", choices=["renditions", "muxed"])
    parser.add_argument("--input", help="an existing file instead of a generated one")
    parser.add_argument("--sluice", default=os.path.join(ROOT, ".build/release/sluice"))
    parser.add_argument("--folder", default="/dev/shm/sluice-peers", help="on tmpfs, so that no disk is measured")
    parser.add_argument("--check", help="a validator of HLS folders, run on our output")
    arguments = parser.parse_args()

    os.makedirs(arguments.folder, exist_ok=True)
    source = arguments.input or os.path.join(arguments.folder, f"film-{arguments.height}p-{arguments.size_mb}.mkv")
    if not os.path.exists(source):
        film(source, arguments.size_mb, arguments.height)
    size = os.path.getsize(source)
    ours, theirs, log = (os.path.join(arguments.folder, name) for name in ("ours", "theirs", "log"))

    def sluice():
        shutil.rmtree(ours, ignore_errors=True)
        return run([arguments.sluice, "package", source, ours, "--shape", arguments.shape], log)

    def ffmpeg():
        shutil.rmtree(theirs, ignore_errors=True)
        os.makedirs(theirs)
        return run(
            ["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-i", source, "-map", "0:v:0",
             "-map", "0:a:0", "-c", "copy", "-f", "hls", "-hls_segment_type", "fmp4", "-hls_time", "4",
             "-hls_playlist_type", "vod", "-hls_segment_filename", os.path.join(theirs, "s%05d.m4s"),
             os.path.join(theirs, "main.m3u8")], log)

    sluice(), ffmpeg()  # warm
    pairs = [(sluice(), ffmpeg()) for _ in range(arguments.pairs)]
    mine, peer = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    print(f"{os.path.basename(source)}  {size / 1e6:.0f} MB, {arguments.pairs} pairs, medians")
    for name, runs in (("sluice", mine), ("ffmpeg", peer)):
        print(f"  {name}  wall {median(runs, 0):.3f} s  cpu {median(runs, 1):.3f} s  "
              f"peak {median(runs, 2) / 1024:.1f} MiB")
    walls = statistics.median(a[0] / b[0] for a, b in pairs)
    cpus = statistics.median(a[1] / b[1] for a, b in pairs)
    print(f"  ratio   wall {walls:.2f} (goal 0.60)  cpu {cpus:.2f} (goal 0.70)  "
          f"peak {max(figures[2] for figures in mine) / 1024:.1f} MiB (goal 64)")
    segments = len([name for name in os.listdir(theirs) if name.endswith(".m4s")])
    print(f"  segments: theirs {segments}, ours "
          + ", ".join(f"{name} {len([f for f in os.listdir(os.path.join(ours, name)) if f.endswith('.m4s')])}"
                      for name in sorted(os.listdir(ours)) if os.path.isdir(os.path.join(ours, name))))
    scans = [run([arguments.sluice, "plan", "--basis", "scan", source], log)[0] for _ in range(arguments.pairs)]
    print(f"  scan    {size / 1e6 / statistics.median(scans):.0f} MB/s (goal 500)")
    if arguments.check:
        result = subprocess.run([arguments.check, os.path.join(ours, "master.m3u8")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(f"  {os.path.basename(arguments.check)}: status {result.returncode}\n" + result.stdout[-600:])
    shutil.rmtree(ours, ignore_errors=True)
    shutil.rmtree(theirs, ignore_errors=True)


if __name__ == "__main__":
    main()
