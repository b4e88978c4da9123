#!/bin/sh
# Hands the options of the app over as variables. The Supervisor sets TZ by itself.
set -eu
PAPERGATE_HOST=$(node -p 'JSON.parse(require("node:fs").readFileSync("/data/options.json", "utf8")).host ?? ""')
export PAPERGATE_HOST
# The Supervisor knows the home's broker, if there is one, and tells nothing where there is none.
PAPERGATE_HASS_MQTT_URL=$(node -e '
  fetch("http://supervisor/services/mqtt", {
    headers: { authorization: `Bearer ${process.env.SUPERVISOR_TOKEN}` },
    signal: AbortSignal.timeout(10_000),
  })
    .then((answer) => answer.json())
    .then(({ data }) => {
      if (!data?.host) return;
      const user = data.username ? `${encodeURIComponent(data.username)}:${encodeURIComponent(data.password ?? "")}@` : "";
      process.stdout.write(`${data.ssl ? "mqtts" : "mqtt"}://${user}${data.host}:${data.port}`);
    })
    .catch(() => {});
')
export PAPERGATE_HASS_MQTT_URL
exec papergate serve
