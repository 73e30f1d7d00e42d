"""What the acceptance scripts, and Benchmarks/peers, share."""

import http.client
import json
import os
import subprocess
import time
from urllib.parse import urlsplit

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OWN_FAULT = {"internal-invariant", "internalInvariant"}


def refusal(report):
    """Verdict, code and message of a report of failure: FAULT where it blames Sluice itself or gives no code."""
    error = report.get("error", {})
    code = error.get("code")
    return "FAULT" if code in OWN_FAULT or not code else "refused", code, error.get("message")


class Server:
    """`sluice serve` on a free port."""

    def __init__(self, program, arguments):
        self.child = subprocess.Popen(
            [program, "serve", "--port", "0", "--json", "--graphs", os.path.join(ROOT, "Graphs"), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        event = json.loads(self.child.stdout.readline())
        self.host = urlsplit(event["url"]).netloc
        self.masters = {one["source"]: urlsplit(one["master"]).path for one in event["titles"]}

    def get(self, path):
        connection = http.client.HTTPConnection(self.host, timeout=60)
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, body

    def planned(self):
        """Waits until the background has stored every plan."""
        for _ in range(600):
            titles = json.loads(self.get("/api/status")[1])["titles"]
            if all("segments" in one or "error" in one for one in titles):
                return
            time.sleep(0.2)

    def resident(self):
        """Resident memory in MiB."""
        with open(f"/proc/{self.child.pid}/status") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    def stop(self, limit=30):
        """Exit code, and seconds until the end, which must come within the limit."""
        begin = time.monotonic()
        self.child.terminate()
        code = self.child.wait(timeout=limit)
        return code, time.monotonic() - begin
