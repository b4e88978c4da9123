#!/bin/sh
# Hands the options of the app over as variables. The Supervisor sets TZ by itself.
set -eu
PAPERGATE_HOST=$(node -p 'JSON.parse(require("node:fs").readFileSync("/data/options.json", "utf8")).host ?? ""')
export PAPERGATE_HOST
exec papergate serve
