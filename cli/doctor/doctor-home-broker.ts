/** Examines the way to the home's broker, for `papergate doctor`, by connecting to it as the service does. */
import { connect } from 'mqtt';
import { readBroker } from '../../api/home-assistant/home-link.ts';
import { linkTrouble } from '../../api/home-assistant/link-trouble.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { Refusal } from '../../reasons/refusals.ts';
import type { Diagnosis } from './doctor-certificates.ts';

const connectTimeoutMs = 5_000;

/** Examines the broker that the environment names; nothing where it names none. */
export async function judgeHome(env: Readonly<Record<string, string | undefined>>): Promise<Diagnosis[]> {
  const name = "home's broker";
  const { PAPERGATE_HASS_MQTT_URL: given } = env;
  if (!given) return [];
  try {
    const { PAPERGATE_HASS_MQTT_URL: url = '' } = readSettings({ PAPERGATE_HASS_MQTT_URL: given });
    const { host } = readBroker(url);
    const trouble = await dialBroker(url);
    if (trouble === undefined) return [{ name, result: 'ok', message: `${host} lets the service in` }];
    const { message, hint } = linkTrouble(trouble);
    return [{ name, result: 'fail', message: `${host}: ${message}`, hint }];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [{ name, result: 'fail', message: error.message }];
  }
}

/** Connects once; returns what was in the way. */
async function dialBroker(url: string): Promise<unknown> {
  const { options } = readBroker(url);
  const client = connect({ ...options, protocolVersion: 4, connectTimeout: connectTimeoutMs, reconnectPeriod: 0 });
  try {
    return await new Promise<unknown>((resolve) => {
      client.once('connect', () => resolve(undefined));
      client.on('error', resolve);
      client.once('close', () => resolve(new Error('the connection ended')));
    });
  } finally {
    client.end(true);
  }
}
