#!/usr/bin/env python3
"""Twenty viewers of three titles who seek and leave as they like, then a stop while twenty requests wait.

  Tests/Acceptance/viewers.py [--sluice PATH] [--seconds 60] [--viewers 20]

Fails where a status is none of 200, 206, 304 and 503, a whole body is not what `sluice package` writes, descriptors or
memory do not come back within half a minute, or SIGTERM does not end the server with 0 within three seconds.
"""
import argparse
import http.client
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import acceptance
from acceptance import ROOT

ALLOWED = {200, 206, 304, 503}


def film(path, seconds):
    subprocess.run(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=s=640x360:r=25:d={seconds}",
         "-f", "lavfi", "-i", f"sine=r=48000:d={seconds}", "-c:v", "libx264", "-preset", "ultrafast", "-g", "50",
         "-c:a", "aac", path], check=True)


class Server(acceptance.Server):
    def metric(self, name):
        text = self.get("/metrics")[1].decode()
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", text, re.M))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.child.pid}/fd"))


def names_of(server, master):
    """Folder of the plan, and the segments of all its playlists."""
    base = master.rsplit("/", 1)[0] + "/"
    text = server.get(master)[1].decode()
    plan = base + re.search(r"^([0-9a-f]{8}/)", text, re.M).group(1)
    names = []
    for rendition in ("video", "audio-1"):
        lines = server.get(f"{plan}{rendition}.m3u8")[1].decode().splitlines()
        names += [line for line in lines if line and line[0] != "#"]
    return plan, names


class Viewer(threading.Thread):
    """Plays a while, seeks, leaves in the middle of waits and bodies, asks for parts and for what it knows."""

    def __init__(self, server, titles, seed, end):
        super().__init__(daemon=True)
        self.server, self.titles, self.end = server, titles, end
        self.random = random.Random(seed)
        self.statuses, self.wrong, self.aborts = {}, [], 0

    def run(self):
        while time.monotonic() < self.end:
            plan, names, truth = self.random.choice(self.titles)
            at = self.random.randrange(len(names))
            connection = http.client.HTTPConnection(self.server.host, timeout=60)
            try:
                for name in names[at:at + self.random.randint(1, 6)]:
                    self.one(connection, plan, name, truth[name])
            except (OSError, http.client.HTTPException) as error:
                if time.monotonic() < self.end:
                    self.wrong.append(f"{type(error).__name__} {error}")
            finally:
                connection.close()

    def one(self, connection, plan, name, truth):
        kind = self.random.random()
        if kind < 0.15:
            self.leave(plan + name)
            return
        headers, expected = {}, truth
        if kind < 0.3:
            first = self.random.randrange(len(truth))
            headers, expected = {"Range": f"bytes={first}-"}, truth[first:]
        connection.request("GET", plan + name, headers=headers)
        response = connection.getresponse()
        body = response.read()
        self.statuses[response.status] = self.statuses.get(response.status, 0) + 1
        if response.status not in ALLOWED:
            self.wrong.append(f"{name}: status {response.status} {body[:100]!r}")
        if response.status in (200, 206) and body != expected:
            self.wrong.append(f"{name}: {len(body)} bytes; expected {len(expected)} others")
        tag = response.getheader("ETag")
        if tag and kind > 0.9:
            connection.request("GET", plan + name, headers={"If-None-Match": tag})
            again = connection.getresponse()
            again.read()
            self.statuses[again.status] = self.statuses.get(again.status, 0) + 1
            if again.status not in ALLOWED:
                self.wrong.append(f"{name}: status {again.status} to a known tag")

    def leave(self, path):
        host, port = self.server.host.split(":")
        with socket.create_connection((host, int(port))) as client:
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            time.sleep(self.random.random() * 0.05)
        self.aborts += 1


def parallel(arguments, work, complain):
    films = [os.path.join(work, name) for name in ("one.mkv", "two.mp4", "three.ts")]
    film(films[0], 240)
    for other in films[1:]:
        subprocess.run(
            ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-i", films[0], "-map", "0", "-c", "copy", other], check=True)
    truths = {}
    for path in films:
        target = path + ".package"
        subprocess.run([arguments.sluice, "package", path, target], check=True, stdout=subprocess.DEVNULL)
        truths[os.path.basename(path)] = target
    plans = os.path.join(work, "plans")
    for _ in range(2):
        # The second time every plan is a stored one.
        server = Server(arguments.sluice, ["--store", "32MiB", "--plans", plans, *films])
        server.planned()
        if _ == 0:
            server.stop()
    titles = []
    for source, master in server.masters.items():
        plan, names = names_of(server, master)
        truth = {}
        for name in names:
            with open(os.path.join(truths[source], name), "rb") as file:
                truth[name] = file.read()
        titles.append((plan, names, truth))
    warm = [Viewer(server, titles, 1000 + number, time.monotonic() + 3) for number in range(arguments.viewers)]
    rest(warm)
    time.sleep(arguments.quiet)
    before = (server.descriptors(), server.resident())
    viewers = [Viewer(server, titles, seed, time.monotonic() + arguments.seconds) for seed in range(arguments.viewers)]
    most = rest(viewers, server)
    begin = time.monotonic()
    while server.metric("sluice_waits") > 0 and time.monotonic() - begin < 2:
        time.sleep(0.02)
    gone = time.monotonic() - begin
    time.sleep(arguments.quiet)
    after = (server.descriptors(), server.resident())
    statuses = {}
    for viewer in warm + viewers:
        for line in viewer.wrong[:3]:
            complain(line)
        for status, count in viewer.statuses.items():
            statuses[status] = statuses.get(status, 0) + count
    print(f"statuses {statuses}, {sum(viewer.aborts for viewer in viewers)} aborts, at most {most:.0f} graphs, "
          f"waits gone after {gone * 1000:.0f} ms")
    print(f"descriptors {before[0]} -> {after[0]}, resident {before[1]:.1f} -> {after[1]:.1f} MiB")
    if after[0] > before[0]:
        complain(f"{after[0] - before[0]} descriptors were not closed")
    if after[1] > before[1] + 16:
        complain(f"{after[1] - before[1]:.1f} MiB were not given back")
    if most > 16:
        complain(f"{most} graphs at one time")
    code, passed = server.stop()
    if code != 0 or passed > 3:
        complain(f"stopped with {code} after {passed:.1f} s")


def rest(viewers, server=None):
    """Runs them to their end; the most graphs seen meanwhile."""
    for viewer in viewers:
        viewer.start()
    most = 0
    while any(viewer.is_alive() for viewer in viewers):
        if server:
            most = max(most, server.metric("sluice_producers"))
        time.sleep(0.5)
    return most


def stopping(arguments, complain):
    """Twenty requests wait for a source that never says anything."""
    silent = socket.create_server(("127.0.0.1", 0), backlog=64)
    url = f"http://127.0.0.1:{silent.getsockname()[1]}/film.mp4"
    server = Server(arguments.sluice, ["--plans", "off", "--allow", "127.0.0.1", url])
    host, port = server.host.split(":")
    master = next(iter(server.masters.values()))
    clients = [socket.create_connection((host, int(port))) for _ in range(20)]
    for client in clients:
        client.sendall(f"GET {master} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    begin = time.monotonic()
    while server.metric("sluice_suspended") < 20 and time.monotonic() - begin < 10:
        time.sleep(0.05)
    waits = server.metric("sluice_suspended")
    code, passed = server.stop()
    print(f"SIGTERM with {waits:.0f} suspended: exit code {code} after {passed:.2f} s")
    if code != 0 or passed > 3:
        complain(f"stopped with {code} after {passed:.1f} s")
    for client in clients:
        client.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", default=os.path.join(ROOT, ".build/release/sluice"))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--viewers", type=int, default=20)
    parser.add_argument("--quiet", type=float, default=30)
    arguments = parser.parse_args()
    complaints = []
    work = tempfile.mkdtemp(prefix="sluice-viewers-")
    try:
        parallel(arguments, work, complaints.append)
        stopping(arguments, complaints.append)
    finally:
        shutil.rmtree(work)
    for line in complaints:
        print(f"FAILED {line}", file=sys.stderr)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
