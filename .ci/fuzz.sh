#!/usr/bin/env bash
# Builds Tests/Fuzz and runs every target in turn. New inputs stay in .build; a crash is copied to Fixtures/corpus and
# ends the run with an error, so that `swift test` replays it from then on.
set -euo pipefail
swift="$1"
seconds="${2:-120}"
root="$PWD"
package="$root/Tests/Fuzz"
"$swift" build -c release --package-path "$package"
bin="$("$swift" build -c release --package-path "$package" --show-bin-path)"
status=0
for source in "$package"/Sources/*/; do
    target="$(basename "$source")"
    [ -x "$bin/$target" ] || continue
    corpus="$root/Fixtures/corpus/$target"
    grown="$package/.build/corpus/$target"
    mkdir -p "$corpus" "$grown"
    echo "fuzz: $target for $seconds s"
    if ! "$bin/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=65536 -print_final_stats=1 \
        -artifact_prefix="$corpus/crash-" "$grown" "$corpus" 2>&1 | tail -20; then
        echo "fuzz: $target failed; its input is in $corpus" >&2
        status=1
    fi
done
exit "$status"
