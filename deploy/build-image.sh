#!/bin/sh
# Builds the image without Docker and without a container registry: sh deploy/build-image.sh [name:tag]
# Needs root, a Debian mirror, the npm registry, and: apt-get install buildah mmdebstrap
# If a registry can be reached, this is enough: buildah build --isolation chroot --tag payouts:1.3.0 .
set -eu
cd "$(dirname "$0")/.."
tag="${1:-payouts:1.3.0}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export BUILDAH_ISOLATION=chroot

# Replaces debian:bookworm-slim. Like that image, it has neither documentation nor package lists.
debian=docker.io/library/debian:bookworm-slim
[ -n "$(buildah images --quiet "$debian" 2>/dev/null)" ] || {
  mmdebstrap --variant=minbase --aptopt='APT::Install-Recommends "false"' \
    --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --include=usr-is-merged \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --customize-hook='rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*' \
    bookworm "$work/debian.tar"
  base="$(buildah from scratch)"
  buildah add --quiet "$base" "$work/debian.tar" /
  buildah commit --quiet --rm "$base" "$debian"
}

# Replaces node:22-bookworm-slim: Node.js and npm, both from the npm registry.
case "$(uname -m)" in x86_64) arch=x64 ;; *) arch=arm64 ;; esac
(cd "$work" && npm pack --silent "node-linux-$arch@22" npm@10)
mkdir -p "$work/local/lib/node_modules/npm" "$work/local/bin"
tar -xzf "$work"/node-linux-*.tgz -C "$work/local" --strip-components=1 package/bin/node
tar -xzf "$work"/npm-*.tgz -C "$work/local/lib/node_modules/npm" --strip-components=1
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/local/bin/npm"
chmod -R a+rX "$work/local" && chmod 755 "$work/local/bin/node" "$work/local/lib/node_modules/npm/bin/npm-cli.js"
node="$(buildah from --pull-never "$debian")"
buildah copy --quiet "$node" "$work/local" /usr/local
# For a network whose proxy has its own certificate authority. The certificate is not in the final image.
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  buildah copy --quiet "$node" "$NODE_EXTRA_CA_CERTS" /usr/local/share/extra-ca.crt
  buildah config --env NODE_EXTRA_CA_CERTS=/usr/local/share/extra-ca.crt "$node"
fi
buildah commit --quiet --rm "$node" docker.io/library/node:22-bookworm-slim

buildah build --pull-never --tag "$tag" .
buildah images "$tag"
