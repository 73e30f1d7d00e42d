#!/usr/bin/env bash
# Installs the Debian packages that building, testing and running Sluice needs. Safe to run again: it installs only
# what is missing, and needs neither root nor a network when nothing is.
set -euo pipefail

packages=(
    # Build tools, and what the Swift compiler and package manager load or call.
    gcc libc6-dev libstdc++-12-dev binutils make git ca-certificates tzdata pkg-config
    libxml2 libedit2 libsqlite3-0 libncurses6 libcurl4 zlib1g-dev
    # Media and network libraries.
    libavformat-dev libavcodec-dev libavutil-dev libswresample-dev libavfilter-dev libswscale-dev
    libdav1d-dev libzvbi-dev libcurl4-openssl-dev libmicrohttpd-dev
    # Makes the demo and the fixtures, and is the independent reference of many tests.
    ffmpeg
    # What tests ask the server with, check signatures with, and limit the program with.
    curl openssl gzip util-linux coreutils
)

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: this is not a Debian system (no apt-get). Install the equivalents of these by hand:" >&2
    echo "  ${packages[*]}" >&2
    echo "setup: FFmpeg 5.1 or newer and libmicrohttpd 0.9.75 or newer are needed." >&2
    exit 1
fi

missing=()
for package in "${packages[@]}"; do installed "$package" || missing+=("$package"); done

if [ ${#missing[@]} -gt 0 ]; then
    elevate=()
    if [ "$(id -u)" -ne 0 ]; then
        if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
            elevate=(sudo -n)
        else
            echo "setup: ${#missing[@]} packages are missing and this user may not install them. Run as root:" >&2
            echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
            exit 1
        fi
    fi
    echo "setup: installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt=("${elevate[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120)
    "${apt[@]}" update -q </dev/null ||
        echo "setup: apt-get update failed; going on with the package lists that are here" >&2
    "${apt[@]}" install -y -q --no-install-recommends "${missing[@]}" </dev/null
fi

swift="$("$(dirname "$0")/swift")"
echo "setup: ready ($("$swift" --version 2>/dev/null | grep -o 'Swift version [^ ]*' | head -1), $swift)"
