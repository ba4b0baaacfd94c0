#!/bin/sh
# Pins every image in Dockerfile and docker-compose.yml to the current digest of its tag. Replaces an older digest.
# Needs Docker and the images' registries. A tag can be moved to another image later; a digest cannot.
set -eu
cd "${1:-"$(dirname "$0")/.."}"

images="$(sed -nE 's/^(FROM| +image:) ([^ @]+).*/\2/p' Dockerfile docker-compose.yml | grep -v '^payouts:' | sort -u)"
for image in $images; do
  digest="$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$image")"
  printf '%s' "$digest" | grep -qE '^sha256:[0-9a-f]{64}$' || {
    echo "No digest for $image." >&2
    exit 1
  }
  sed -i.before -E "s#^(FROM| +image:) $image(@[^ ]+)?( .*)?\$#\1 $image@$digest\3#" Dockerfile docker-compose.yml
  rm Dockerfile.before docker-compose.yml.before
done
