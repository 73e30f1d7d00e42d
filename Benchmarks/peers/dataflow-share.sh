#!/bin/bash
# Share of a run's instructions that moving packets between nodes costs: symbols of SluiceDataflow and of Swift's
# concurrency runtime, under callgrind, in `sluice package` of a short film; the start-up of the program is taken off.
#
#   Benchmarks/peers/dataflow-share.sh [FILE]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
sluice=$root/.build/release/sluice
command -v valgrind >/dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 1; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/sluice-share.XXXXXX")
trap 'rm -rf "$folder"' EXIT
film=${1:-$folder/film.mkv}
if [ ! -e "$film" ]; then
  ffmpeg -nostdin -hide_banner -loglevel error -y -f lavfi -i "testsrc2=size=1920x1080:rate=25:duration=60" \
    -f lavfi -i "sine=frequency=440:duration=60" -map 0:v -map 1:a -c:v libx264 -preset ultrafast -pix_fmt yuv420p \
    -g 50 -b:v 6M -c:a aac -b:a 160k "$film"
fi
# valgrind 3.19 cannot read the debug information that Swift writes.
mkdir "$folder/bin"
strip --strip-debug -o "$folder/bin/sluice" "$sluice"
sluice=$folder/bin/sluice
graphs=$root/Graphs
count() { # NAME ARGUMENTS…
  local name=$1
  shift
  valgrind --tool=callgrind --callgrind-out-file="$folder/$name" "$sluice" "$@" >"$folder/$name.log" 2>&1 ||
    { cat "$folder/$name.log" >&2; exit 1; }
}
count empty version
count run package "$film" "$folder/out" --graphs "$graphs"
python3 - "$folder/empty" "$folder/run" <<'PY'
import re
import subprocess
import sys


def lines(path):
    text = subprocess.run(
        ["callgrind_annotate", "--auto=no", "--show-percs=no", "--threshold=100", path],
        check=True, capture_output=True, text=True).stdout
    total = 0
    moving = 0
    for line in text.splitlines():
        found = re.match(r"\s*([\d,]+)\s+(.*)", line)
        if not found:
            continue
        number, place = int(found.group(1).replace(",", "")), found.group(2)
        if "PROGRAM TOTALS" in place:
            total = number
        elif "libswift_Concurrency" in place or re.search(r"\$s14SluiceDataflow|14SluiceDataflow\d+\w*(Port|Channel|Loop)", place):
            moving += number
    return total, moving


empty, run = lines(sys.argv[1]), lines(sys.argv[2])
total, moving = run[0] - empty[0], max(0, run[1] - empty[1])
share = 100 * moving / total
print(f"instructions {total:,}, moving packets {moving:,}: {share:.1f} % (goal 15)")
sys.exit(0 if share <= 15 else 1)
PY
