#!/bin/bash
# Counts instructions an item with callgrind and compares them with baselines/instructions.json (± 3 %).
#
#   Benchmarks/callgrind.sh            measure and compare; exit 1 on a difference or a missing baseline
#   Benchmarks/callgrind.sh --write    measure and write the baselines
#
# Start-up (an empty run) is subtracted. Wall time depends on the machine, instruction counts hardly do.
set -euo pipefail
cd "$(dirname "$0")/.."
tolerance=3
limit_per_hop=300
baseline=Benchmarks/baselines/instructions.json
names=(channel/batch-1 channel/batch-32 chain-4/batch-1/pool chain-4/batch-32/pool chain-4/batch-32/lane
       chain-16/batch-32/pool)

bench=${SLUICE_BENCH:-}
if [ -z "$bench" ]; then
    swift build -c release --product sluice-bench >&2
    bench=$(swift build -c release --show-bin-path)/sluice-bench
fi
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" "$@" 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }'
}

blocks() {
    valgrind --tool=dhat --dhat-out-file=/dev/null "$bench" "$@" 2>&1 >/dev/null |
        awk '/Total:/ { gsub(",", ""); print $(NF - 1) }'
}

empty=$(count --empty)
empty_blocks=$(blocks --empty)
measured=$(mktemp)
trap 'rm -f "$measured"' EXIT
for name in "${names[@]}"; do
    read -r items hops < <("$bench" --list | awk -v name="$name" '$1 == name { print $2, $3 }')
    total=$(count --once "$name")
    allocated=$(blocks --once "$name")
    awk -v n="$name" -v a="$allocated" -v b="$empty_blocks" -v t="$total" -v e="$empty" -v i="$items" -v h="$hops" \
        'BEGIN { printf "%s %.1f %.1f %.4f\n", n, (t - e) / i, (t - e) / i / h, (a - b) / i }' >>"$measured"
done

if [ "${1:-}" = --write ]; then
    awk 'BEGIN { print "{" } { printf "%s  \"%s\": { \"perItem\": %s, \"perItemAndHop\": %s, \"allocationsPerItem\": %s }", sep, $1, $2, $3, $4
         sep = ",\n" } END { print "\n}" }' "$measured" >"$baseline"
    cat "$baseline"
    exit 0
fi
failed=0
while read -r name item hop allocations; do
    old=$(awk -F'[":, }]+' -v name="$name" '$2 == name { print $4 }' "$baseline")
    awk -v n="$name" -v new="$item" -v old="${old:-0}" -v hop="$hop" -v tol="$tolerance" 'BEGIN {
        d = old > 0 ? (new - old) * 100 / old : 999
        printf "%-26s %9.1f an item (%+.1f %%)  %7.1f an item and hop\n", n, new, d, hop
        exit (d > tol || d < -tol) }' || failed=1
    if awk -v a="$allocations" 'BEGIN { exit !(a > 0.05) }'; then
        echo "$name: $allocations allocations an item; expected none in steady state"
        failed=1
    fi
    if [ "$name" = chain-4/batch-32/pool ] && awk -v hop="$hop" -v l="$limit_per_hop" 'BEGIN { exit !(hop > l) }'; then
        echo "$name: more than $limit_per_hop instructions an item and hop"
        failed=1
    fi
done <"$measured"
exit $failed
