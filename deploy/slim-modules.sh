#!/bin/sh
# Removes from the folder node_modules, given as argument, what no program of the image reads. Licences stay.
set -eu
cd "$1"

# The Temporal SDK has a compiled core for each platform, and the sources of all of them.
bridge=@temporalio/core-bridge
for core in "$bridge"/releases/*; do
  [ "$(basename "$core")" = "$(uname -m)-unknown-linux-gnu" ] || rm -r "$core"
done
find "$bridge/sdk-core" "$bridge/src" "$bridge/bridge-macros" "$bridge/ts" -type f ! -iname 'license*' -delete

# TypeORM once more, for browsers.
rm -r typeorm/browser

# For compilers, debuggers and readers.
find . -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -name '*.md' \) ! -iname 'license*' -delete
find . -type d -empty -delete
