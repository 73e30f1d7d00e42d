# Sluice: every task is one word. `make` alone lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# The compiler: on PATH, else where the toolchain is unpacked by convention.
SWIFT := $(or $(shell command -v swift 2>/dev/null),$(wildcard /opt/swift/usr/bin/swift))
HOST ?= 127.0.0.1
PORT ?= 8080
# Seconds each fuzz target runs.
TIME ?= 120
DEMO := demo/demo.mkv
SOURCES := Sources Tests Benchmarks Package.swift

.PHONY: help setup run demo build release test lint format bench schema docs fuzz tsan asan clean toolchain

help: ## Lists the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 16

toolchain:
	@if [ -z "$(SWIFT)" ]; then \
	  echo "No Swift toolchain: neither 'swift' on PATH nor /opt/swift/usr/bin/swift." >&2; \
	  echo "Install Swift 6.3 from https://www.swift.org/install/linux/ and try again." >&2; exit 1; fi

setup: ## Installs the Debian packages that are missing (needs root or passwordless sudo only then).
	@.ci/setup.sh

build: toolchain ## Builds everything for debugging.
	"$(SWIFT)" build

release: toolchain ## Builds the server with optimisation.
	"$(SWIFT)" build -c release --product sluice

$(DEMO):
	@command -v ffmpeg >/dev/null || { echo "ffmpeg is missing: run 'make setup'" >&2; exit 1; }
	@mkdir -p $(dir $@)
	ffmpeg -nostdin -hide_banner -loglevel error -y \
	  -f lavfi -i "testsrc2=size=1280x720:rate=25:duration=60" \
	  -f lavfi -i "sine=frequency=440:beep_factor=4:duration=60" \
	  -map 0:v -map 1:a -c:v libx264 -preset veryfast -pix_fmt yuv420p -g 50 -c:a aac -b:a 128k \
	  -metadata title="Sluice demo" $@.tmp.mkv
	@mv $@.tmp.mkv $@

demo: $(DEMO) ## Makes a one-minute film in demo/.

run: setup release ## Serves FILE=<file or folder>, or a demo film, on http://HOST:PORT/ (127.0.0.1:8080).
	@if [ -z "$(FILE)" ]; then $(MAKE) --no-print-directory demo; fi
	@exec .build/release/sluice serve --host $(HOST) --port $(PORT) "$(or $(FILE),$(DEMO))"

# One test at a time: many of them run players and encoders, and a machine of two cores has two threads for tasks.
test: toolchain ## Runs all tests.
	"$(SWIFT)" test --no-parallel

lint: toolchain ## Checks the formatting.
	"$(SWIFT)" format lint --strict -r $(SOURCES)

format: toolchain ## Formats the code in place.
	"$(SWIFT)" format -i -r $(SOURCES)

bench: toolchain ## Runs the benchmarks; FILTER=<name> runs some.
	"$(SWIFT)" run -c release sluice-bench $(FILTER)

schema: toolchain ## Writes the JSON Schema that editors check graph files with.
	"$(SWIFT)" build --product sluice
	@mkdir -p Graphs/schema
	.build/debug/sluice graph schema >Graphs/schema/sluice-graph-1.schema.json

docs: toolchain ## Writes the API reference to .build/docs.
	@.ci/docs.sh "$(SWIFT)"

fuzz: toolchain ## Fuzzes every parser for TIME seconds (120) each, from and into Fixtures/corpus.
	@.ci/fuzz.sh "$(SWIFT)" "$(TIME)"

tsan: toolchain ## Runs the tests under Thread Sanitizer.
	"$(SWIFT)" test --sanitize=thread --scratch-path .build/tsan

asan: toolchain ## Runs the tests under Address Sanitizer.
	"$(SWIFT)" test --sanitize=address --scratch-path .build/asan

clean: ## Removes what was built.
	rm -rf .build Tests/Fuzz/.build demo
