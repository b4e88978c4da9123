#!/bin/sh
# The command in a container. Started as root, it goes on as the user that PUID and PGID name (1000:1000); started as
# anybody else, as that one.
set -eu

refuse() {
  printf 'papergate: %s\n' "$*" >&2
  exit 1
}

data=${PAPERGATE_DATA:-/data}
program=/opt/papergate/bin/papergate.mjs

for id in "${PUID:-1000}" "${PGID:-1000}"; do
  case $id in
    0 | *[!0-9]*) refuse "PUID and PGID are the numbers of an ordinary user and group, as the command id prints them" ;;
  esac
done

if [ "$(id -u)" -ne 0 ]; then
  if [ "${PUID:-$(id -u)}" != "$(id -u)" ] || [ "${PGID:-$(id -g)}" != "$(id -g)" ]; then
    refuse "PUID and PGID need a start as root (user: root), and this is user $(id -u):$(id -g). Leave them out, or start as root"
  fi
  if [ -d "$data" ] && [ ! -w "$data" ]; then
    refuse "user $(id -u):$(id -g) may not write to $data. On the host: chown -R $(id -u):$(id -g) the folder that is mounted there"
  fi
  exec "$program" "$@"
fi

user=${PUID:-1000} group=${PGID:-1000}
(umask 077 && mkdir -p "$data")
# Only a folder that belongs to somebody else is gone through: a large one would take long at each start.
if [ "$(stat -c %u:%g "$data")" != "$user:$group" ]; then
  chown -R "$user:$group" "$data" || refuse "$data cannot be given to $user:$group. On the host: chown -R $user:$group the folder that is mounted there"
fi
exec setpriv --reuid "$user" --regid "$group" --clear-groups --inh-caps=-all --no-new-privs -- "$program" "$@"
