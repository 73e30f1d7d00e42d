# Sluice: every task is one word. `make` alone lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

SWIFT := $(shell .ci/swift 2>/dev/null)
HOST ?= 127.0.0.1
PORT ?= 8080
# Seconds each fuzz target runs.
TIME ?= 120
DEMO := demo/demo.mkv
SOURCES := Sources Tests Benchmarks docs/examples Package.swift
# What Thread Sanitizer looks at: the suites where tasks and threads meet. All of them would take hours.
TSAN_SUITES := SluiceDataflowTests|SluiceGraphTests|SluiceTransportTests

.PHONY: help setup run demo build release test lint format bench schema docs fuzz tsan asan clean toolchain

help: ## Lists the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 16

toolchain:
	@.ci/swift >/dev/null

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

# As it was given: neither make nor the shell reads a file's name.
run: export SLUICE_FILE := $(value FILE)
run: setup release ## Serves FILE=<file or folder>, or a demo film, on http://HOST:PORT/ (127.0.0.1:8080).
	@if [ -z "$$SLUICE_FILE" ]; then $(MAKE) --no-print-directory demo; fi
	@file="$${SLUICE_FILE:-$(DEMO)}"; file="$${file/#\~\//$$HOME/}"; exec .build/release/sluice serve --host $(HOST) --port $(PORT) "$$file"

# One test at a time: many of them run players and encoders, and a machine of two cores has two threads for tasks.
test: toolchain ## Runs all tests; FILTER=<regex> runs some.
	"$(SWIFT)" test --no-parallel $(if $(FILTER),--filter '$(FILTER)')

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

tsan: toolchain ## Runs the suites of dataflow, graphs and transport under Thread Sanitizer; FILTER=<regex> runs others.
	TSAN_OPTIONS="suppressions=$(CURDIR)/Tests/tsan.supp" "$(SWIFT)" test --no-parallel --sanitize=thread \
	  --scratch-path .build/tsan --filter '$(or $(FILTER),$(TSAN_SUITES))'

asan: toolchain ## Runs the tests under Address Sanitizer; FILTER=<regex> runs some.
	ASAN_OPTIONS=detect_leaks=0 "$(SWIFT)" test --no-parallel --sanitize=address \
	  --scratch-path .build/asan $(if $(FILTER),--filter '$(FILTER)')

clean: ## Removes what was built.
	rm -rf .build Tests/Fuzz/.build demo
