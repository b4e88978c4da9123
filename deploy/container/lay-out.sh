#!/bin/sh
# Lays a packed service out as an image has it: lay-out.sh PACKAGE.tgz FOLDER, in a checkout whose packages are installed. They
# are moved, without those that only development needs. The same commit gives the same files: their times are that of
# SOURCE_DATE_EPOCH, or 1970.
set -eu
package=$1 folder=$2
mkdir "$folder"
tar -xzf "$package" -C "$folder" --strip-components=1 --no-same-owner
npm prune --omit=dev --ignore-scripts
mv node_modules "$folder/"
(
  cd "$folder/node_modules"
  rm -rf better-sqlite3/deps better-sqlite3/src .cache .papergate
  find better-sqlite3/prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete
  find . -type f \( -name '*.map' -o -name '*.ts' -o -name '*.cts' -o -name '*.mts' \) -delete
  node -e 'new (require("better-sqlite3"))(":memory:").close()'
)
install -m 0755 deploy/container/papergate.sh "$folder/container"
chmod -R u=rwX,go=rX "$folder"
find "$folder" -exec touch --no-dereference --date="@${SOURCE_DATE_EPOCH:-0}" {} +
