#!/bin/sh
# Removes from the given node_modules folder the files that no program of the image reads. Licences stay.
set -eu
cd "$1"

# The Temporal SDK ships a compiled core for each platform, and its sources.
bridge=@temporalio/core-bridge
for core in "$bridge"/releases/*; do
  [ "$(basename "$core")" = "$(uname -m)-unknown-linux-gnu" ] || rm -r "$core"
done
find "$bridge/sdk-core" "$bridge/src" "$bridge/bridge-macros" "$bridge/ts" -type f ! -iname 'license*' -delete

# TypeORM's build for browsers.
rm -r typeorm/browser

# Files that only compilers, debuggers and readers need.
find . -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -name '*.md' \) ! -iname 'license*' -delete
find . -type d -empty -delete
