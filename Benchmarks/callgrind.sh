#!/bin/bash
# Counts instructions (callgrind) or allocations (dhat) an item.
#
#   Benchmarks/callgrind.sh                 instructions, compared with baselines/instructions.json (± 3 %); exit 1 on
#                                           a difference or a missing baseline
#   Benchmarks/callgrind.sh --write         measures and writes the baselines
#   Benchmarks/callgrind.sh --allocations   allocated blocks an item; exit 1 on any in steady state
#
# Every benchmark runs once with N items and once with 2 N: the difference is what N items cost, without start-up.
# SLUICE_BENCH names a program that was built before.
set -euo pipefail
cd "$(dirname "$0")/.."
tolerance=3
limit_per_hop=300
allocation_limit=0.0005
baseline=Benchmarks/baselines/instructions.json
names=(channel/batch-1 channel/batch-32 chain-4/batch-1/pool chain-4/batch-32/pool chain-4/batch-32/lane
       chain-16/batch-32/pool)
mode=${1:-compare}

built=${SLUICE_BENCH:-}
command -v valgrind >/dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 1; }
if [ -z "$built" ]; then
    swift=$(.ci/swift)
    "$swift" build -c release --product sluice-bench >&2
    built=$("$swift" build -c release --show-bin-path)/sluice-bench
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Valgrind does not read the compiler's debug information and needs none.
bench=$work/sluice-bench
objcopy --strip-debug "$built" "$bench"

# Prints a count for one run of benchmark $1 with $2 times its items.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" --once "$1" --times "$2" 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }'
}
allocations() {
    valgrind --tool=dhat --dhat-out-file=/dev/null "$bench" --once "$1" --times "$2" 2>&1 >/dev/null |
        awk '/Total:/ { gsub(",", ""); print $(NF - 1) }'
}
# Sets items, hops, and per_item: the cost by counter $1 of an item of benchmark $2.
measure() {
    read -r items hops < <("$bench" --list | awk -v name="$2" '$1 == name { print $2, $3 }')
    local once twice
    once=$("$1" "$2" 1)
    twice=$("$1" "$2" 2)
    per_item=$(awk -v a="$once" -v b="$twice" -v i="$items" 'BEGIN { printf "%.6f", (b - a) / i }')
}

failed=0
if [ "$mode" = --allocations ]; then
    for name in "${names[@]}"; do
        measure allocations "$name"
        awk -v n="$name" -v p="$per_item" -v l="$allocation_limit" 'BEGIN {
            printf "%-26s %.3f allocations an item (%.6f)\n", n, p, p
            exit !(p <= l) }' || failed=1
    done
    exit $failed
fi

for name in "${names[@]}"; do
    measure instructions "$name"
    awk -v n="$name" -v p="$per_item" -v h="$hops" 'BEGIN { printf "%s %.1f %.1f\n", n, p, p / h }' >>"$work/measured"
done
if [ "$mode" = --write ]; then
    awk 'BEGIN { print "{" }
         { printf "%s  \"%s\": { \"perItem\": %s, \"perItemAndHop\": %s }", sep, $1, $2, $3; sep = ",\n" }
         END { print "\n}" }' "$work/measured" >"$baseline"
    cat "$baseline"
    exit 0
fi
while read -r name item hop; do
    old=$(awk -F'[":, {}]+' -v name="$name" '$2 == name { print $4 }' "$baseline")
    awk -v n="$name" -v new="$item" -v old="${old:-0}" -v hop="$hop" -v tol="$tolerance" 'BEGIN {
        d = old > 0 ? (new - old) * 100 / old : 999
        printf "%-26s %9.1f an item (%+.1f %%)  %7.1f an item and hop\n", n, new, d, hop
        exit (d > tol || d < -tol) }' || failed=1
    if [ "$name" = chain-4/batch-32/pool ] && awk -v hop="$hop" -v l="$limit_per_hop" 'BEGIN { exit !(hop > l) }'; then
        echo "$name: more than $limit_per_hop instructions an item and hop"
        failed=1
    fi
done <"$work/measured"
exit $failed
