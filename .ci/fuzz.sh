#!/usr/bin/env bash
# Builds Tests/Fuzz and runs every target in turn. New inputs stay in .build; a crash is copied to Fixtures/corpus and
# ends the run with an error, so that `swift test` replays it from then on.
set -euo pipefail
swift="$1"
seconds="${2:-120}"
root="$PWD"
package="$root/Tests/Fuzz"
# The flag on the whole build gives the parsers coverage, without which the fuzzer searches blind.
"$swift" build -c release --package-path "$package" -Xswiftc -sanitize=fuzzer
bin="$("$swift" build -c release --package-path "$package" --show-bin-path)"
status=0
for program in "$package"/Sources/fuzz-*; do
    target="$(basename "$program")"
    target="${target#fuzz-}"
    program="$bin/fuzz-$target"
    corpus="$root/Fixtures/corpus/$target"
    grown="$package/.build/corpus/$target"
    mkdir -p "$corpus" "$grown"
    echo "fuzz: $target for $seconds s"
    if ! "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=65536 \
        -artifact_prefix="$corpus/crash-" "$grown" "$corpus" 2>&1 | grep -vE "^(#|\"|NEW_FUNC)" | tail -12; then
        echo "fuzz: $target failed; its input is in $corpus" >&2
        status=1
    fi
done
exit "$status"
