#!/usr/bin/env bash
# Writes the API reference of the public libraries to .build/docs: symbol graphs, then DocC.
set -euo pipefail
swift="$1"
docc="$(dirname "$(readlink -f "$swift")")/docc"
[ -x "$docc" ] || docc="$(command -v docc || true)"
[ -n "$docc" ] || { echo "docs: docc is not part of this toolchain" >&2; exit 1; }

"$swift" package dump-symbol-graph --minimum-access-level public --skip-synthesized-members
found="$(find -L .build -type d -name symbolgraph -not -path '*/docs/*' | head -1)"
rm -rf .build/docs
for module in Sluice SluiceServer SluiceCore SluiceDataflow SluiceGraph SluiceNodes SluiceTestKit; do
    graphs=".build/docs/graphs/$module"
    mkdir -p "$graphs"
    cp "$found/$module.symbols.json" "$graphs/" 2>/dev/null || continue
    cp "$found/$module"@*.symbols.json "$graphs/" 2>/dev/null || true
    "$docc" convert --additional-symbol-graph-dir "$graphs" --fallback-display-name "$module" \
        --fallback-bundle-identifier "sluice.$module" --output-path ".build/docs/$module.doccarchive" >/dev/null
    echo "docs: .build/docs/$module.doccarchive"
done
