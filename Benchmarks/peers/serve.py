#!/usr/bin/env python3
"""How fast sluice serves what is not made yet, in how much memory; against nginx with the finished files.

  Benchmarks/peers/serve.py [--sluice PATH[,PATH…]] [--opens 20] [--random 200] [--pull-mb 1000] [--pulls 5]
                            [--seconds 600]

Several programs are measured in turn, run by run. Prints a line of JSON each: request to first media byte of a title
that is not open and whose plan is stored, random segments that nobody has made, resident memory after them and half a
minute after the last viewer left, and one client pulling a whole title. Figures of one machine mean little.
"""
import argparse
import http.client
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Tests", "Acceptance"))
import acceptance  # noqa: E402


def film(path, seconds, rate):
    """A 1080p film of about that rate: half a minute of noisy pictures, repeated."""
    seed = path + ".seed.mkv"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-y",
         "-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=25:duration=30,noise=alls=20:allf=t",
         "-f", "lavfi", "-i", "sine=frequency=440:duration=30", "-c:v", "libx264", "-preset", "ultrafast",
         "-pix_fmt", "yuv420p", "-g", "50", "-b:v", rate, "-maxrate", rate, "-bufsize", rate, "-c:a", "aac", seed],
        check=True)
    subprocess.run(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-stream_loop", str(max(0, seconds // 30 - 1)), "-i", seed,
         "-map", "0", "-c", "copy", path], check=True)
    os.remove(seed)


class Server(acceptance.Server):
    """`sluice serve` with a folder of stored plans."""

    def __init__(self, program, films, plans):
        super().__init__(program, ["--store", "64MiB", "--plans", plans, *films])
        self.connection = http.client.HTTPConnection(self.host, timeout=60)

    def get(self, path):
        self.connection.request("GET", path)
        response = self.connection.getresponse()
        return response.status, response.read()

    def segments(self, master):
        """Opens the title: paths of the video's segments."""
        status, text = self.get(master)
        if status != 200:
            sys.exit(f"{master}: {status} {text[:200]}")
        base = master.rsplit("/", 1)[0] + "/"
        media = base + [line for line in text.decode().splitlines() if line and line[0] != "#"][0]
        folder = media.rsplit("/", 1)[0] + "/"
        return [folder + line for line in self.get(media)[1].decode().splitlines() if line and line[0] != "#"]


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]


def opening(program, films, plans, segments):
    """Milliseconds from the request for the master playlist to the first byte of a segment."""
    server = Server(program, films, plans)
    try:
        server.get("/healthz")
        begin = time.monotonic()
        listed = server.segments(next(iter(server.masters.values())))
        server.connection.request("GET", listed[segments % len(listed)])
        response = server.connection.getresponse()
        response.read(1)
        passed = (time.monotonic() - begin) * 1000
        response.read()
        return passed
    finally:
        server.stop(10)


def scattered(program, films, plans, count, waits):
    """Milliseconds a random segment; resident MiB after, and half a minute later."""
    server = Server(program, films, plans)
    try:
        server.planned()
        lists = [server.segments(master) for master in server.masters.values()]
        choice = random.Random(5)
        wanted = [(title, index) for title, names in enumerate(lists) for index in range(len(names))]
        times, failures = [], 0
        for title, index in choice.sample(wanted, min(count, len(wanted))):
            begin = time.monotonic()
            status, _ = server.get(lists[title][index])
            times.append((time.monotonic() - begin) * 1000)
            failures += status != 200
        after = server.resident()
        server.connection.close()
        time.sleep(waits)
        return times, failures, after, server.resident()
    finally:
        server.stop(10)


def pull(host, paths):
    """MB/s of one curl that takes everything in order on one connection."""
    with tempfile.NamedTemporaryFile("w", suffix=".curl") as config:
        for path in paths:
            config.write(f'url = "http://{host}{path}"\noutput = "/dev/null"\n')
        config.flush()
        begin = time.monotonic()
        sizes = subprocess.run(
            ["curl", "-sSf", "-K", config.name, "-w", "%{size_download}\\n"], check=True, text=True,
            stdout=subprocess.PIPE).stdout.split()
        return sum(map(int, sizes)) / 1e6 / (time.monotonic() - begin)


def nginx(folder, paths, work):
    """MB/s of nginx with the finished files."""
    port = 18_080
    # Its worker must be able to read what only we may.
    user = "user root;" if os.geteuid() == 0 else ""
    with open(os.path.join(work, "nginx.conf"), "w") as file:
        file.write(
            f"{user} daemon off; worker_processes 1; pid {work}/nginx.pid; error_log {work}/nginx.log;\n"
            f"events {{}} http {{ access_log off; sendfile on; keepalive_requests 100000;\n"
            f"server {{ listen 127.0.0.1:{port}; root {folder}; }} }}\n")
    child = subprocess.Popen(["nginx", "-p", work, "-c", os.path.join(work, "nginx.conf")], stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        return pull(f"127.0.0.1:{port}", paths)
    finally:
        child.terminate()
        child.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", default=os.path.join(ROOT, ".build/release/sluice"))
    parser.add_argument("--opens", type=int, default=20)
    parser.add_argument("--random", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=600, help="length of the two films")
    parser.add_argument("--rate", default="8M")
    parser.add_argument("--pull-mb", type=int, default=1000, help="0 for none")
    parser.add_argument("--pulls", type=int, default=5, help="of each, turn by turn; medians count")
    parser.add_argument("--quiet", type=float, default=30, help="seconds after the last viewer")
    arguments = parser.parse_args()
    work = tempfile.mkdtemp(prefix="sluice-serve-")
    try:
        films = [os.path.join(work, name) for name in ("one.mkv", "two.mp4")]
        film(films[0], arguments.seconds, arguments.rate)
        subprocess.run(
            ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-i", films[0], "-map", "0", "-c", "copy", films[1]],
            check=True)
        programs = arguments.sluice.split(",")
        plans = {}
        for number, program in enumerate(programs):
            plans[program] = os.path.join(work, f"plans-{number}")
            server = Server(program, films, plans[program])
            server.planned()
            server.stop(10)
        opens = {program: [] for program in programs}
        for turn in range(arguments.opens):
            for program in programs:
                opens[program].append(opening(program, films[:1], plans[program], 7 * turn + 3))
        for program in programs:
            times, failures, after, quiet = scattered(
                program, films, plans[program], arguments.random, arguments.quiet)
            print(json.dumps({
                "program": program, "first_byte_ms_p50": round(statistics.median(opens[program]), 1),
                "first_byte_ms_p95": round(percentile(opens[program], 0.95), 1),
                "random_ms_p50": round(statistics.median(times), 1),
                "random_ms_p95": round(percentile(times, 0.95), 1), "failures": failures,
                "rss_mib": round(after, 1), "rss_quiet_mib": round(quiet, 1)}), flush=True)
        if arguments.pull_mb == 0:
            return
        size = os.path.getsize(films[0])
        big = os.path.join(work, "big.mkv")
        subprocess.run(
            ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-stream_loop",
             str(max(0, arguments.pull_mb * 1_000_000 // size - 1)), "-i", films[0], "-map", "0", "-c", "copy", big],
            check=True)
        finished = os.path.join(work, "finished")
        subprocess.run([programs[0], "package", big, finished], check=True, stdout=subprocess.DEVNULL)
        names = sorted(os.listdir(os.path.join(finished, "video")))
        files = [f"/video/{name}" for name in names if name.endswith(".m4s")]
        rates = {program: [] for program in [*programs, "nginx"]}
        for _ in range(arguments.pulls):
            for program in programs:
                # Nothing is made yet each time.
                server = Server(program, [big], plans[program])
                server.planned()
                rates[program].append(pull(server.host, server.segments(next(iter(server.masters.values())))))
                server.stop(10)
            if shutil.which("nginx"):
                rates["nginx"].append(nginx(finished, files, work))
        if not rates["nginx"]:
            print("nginx is not installed: no comparison with finished files")
            del rates["nginx"]
        for program, all_rates in rates.items():
            figures = {"program": program, "pull_mb_s": round(statistics.median(all_rates), 1),
                       "pulls": [round(rate) for rate in all_rates]}
            if program != "nginx" and "nginx" in rates:
                shares = [own / theirs for own, theirs in zip(all_rates, rates["nginx"])]
                figures["share_of_nginx"] = round(statistics.median(shares), 3)
            print(json.dumps(figures), flush=True)
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
