#!/bin/sh
# Deletes large files in the given node_modules folder that no program in the image reads. Keeps licences.
set -eu
cd "$1"

# The Temporal SDK includes a compiled core for each platform, and its sources.
bridge=@temporalio/core-bridge
for core in "$bridge"/releases/*; do
  [ "$(basename "$core")" = "$(uname -m)-unknown-linux-gnu" ] || rm -r "$core"
done
find "$bridge/sdk-core" "$bridge/src" "$bridge/bridge-macros" "$bridge/ts" -type f ! -iname 'license*' -delete

# TypeORM's build for browsers.
rm -r typeorm/browser

# Files that only compilers, debuggers and people read.
find . -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -name '*.md' \) ! -iname 'license*' -delete
find . -type d -empty -delete
