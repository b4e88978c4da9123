/** The names and addresses that the broker's certificate stands for: frames check it against the one they dial. */
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { isEveryAddress, isLoopbackHost } from '../../../runtime/join-address.ts';

const label = /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/;

/** Returns a host name or an IP address in the one form that a certificate keeps; undefined for any other text. */
export function asServerName(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  if (isIP(name) === 4) return name;
  // A scope belongs to one machine's interface, so that no certificate can name it.
  if (isIP(name) === 6) return name.includes('%') ? undefined : new URL(`http://[${name}]`).hostname.slice(1, -1);
  const labels = name.split('.');
  // A name that ends in a number is an address that was mistyped.
  const numeric = /^\d+$/.test(labels.at(-1) ?? '');
  return name.length <= 253 && !numeric && labels.every((part) => label.test(part)) ? name : undefined;
}

/**
 * Returns the names: loopback always, this machine's name, the broker's address, the address that frames fetch from,
 * and the configured ones.
 */
export function serverNames(settings: {
  readonly PAPERGATE_MQTT_HOST: string;
  readonly PAPERGATE_FRAME_URL?: string | undefined;
  readonly PAPERGATE_MQTT_NAMES: readonly string[];
}): string[] {
  const host = settings.PAPERGATE_MQTT_HOST;
  const { PAPERGATE_FRAME_URL: frameUrl } = settings;
  const frameHost = frameUrl === undefined ? [] : [new URL(frameUrl).hostname.replace(/^\[|\]$/g, '')];
  const derived = ['localhost', '127.0.0.1', '::1', hostname(), ...(isEveryAddress(host) ? [] : [host]), ...frameHost];
  const names = [...derived.map((name) => asServerName(name) ?? name), ...settings.PAPERGATE_MQTT_NAMES];
  return [...new Set(names)];
}

/** Returns the name or address by which frames dial the broker: the first that other machines reach; else loopback. */
export function brokerName(settings: {
  readonly PAPERGATE_HOST?: string | undefined;
  readonly PAPERGATE_MQTT_HOST: string;
  readonly PAPERGATE_FRAME_URL?: string | undefined;
  readonly PAPERGATE_MQTT_NAMES: readonly string[];
}): string {
  const { PAPERGATE_HOST, PAPERGATE_MQTT_NAMES: names, PAPERGATE_FRAME_URL: url, PAPERGATE_MQTT_HOST } = settings;
  const frameHost = url === undefined ? undefined : new URL(url).hostname.replace(/^\[|\]$/g, '');
  const listening = isEveryAddress(PAPERGATE_MQTT_HOST) ? undefined : PAPERGATE_MQTT_HOST;
  const known = [PAPERGATE_HOST?.trim(), ...names, frameHost, listening];
  return known.find((host) => host !== undefined && host !== '' && !isLoopbackHost(host)) ?? '127.0.0.1';
}
