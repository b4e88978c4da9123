/** Examines whether others than this machine reach the service, for `papergate doctor`: by the addresses that it gives them. */
import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect } from 'node:tls';
import { brokerName } from '../../api/service/settings/server-names.ts';
import { isLoopbackHost } from '../../runtime/join-address.ts';
import type { Endpoints } from '../ground/hold-folder.ts';
import type { Diagnosis } from './doctor-certificates.ts';

const askTimeoutMs = 5_000;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Examines the address of people, the one of downloads, and the broker, each as a phone or a frame would dial it.
 * @param env the completed environment (`completeEnvironment`)
 * @param endpoints where the service listens
 */
export async function judgeReach(env: Environment, endpoints: Endpoints): Promise<Diagnosis[]> {
  const publicUrl = env.PAPERGATE_PUBLIC_URL || endpoints.http;
  const frameUrl = env.PAPERGATE_FRAME_URL || endpoints.http;
  const address = { name: 'address', variable: 'PAPERGATE_PUBLIC_URL', url: publicUrl };
  const downloads = { name: 'downloads', variable: 'PAPERGATE_FRAME_URL', url: frameUrl };
  const found = [await judgeUrl(address, env, endpoints)];
  if (frameUrl !== publicUrl) found.push(await judgeUrl(downloads, env, endpoints));
  return [...found, await judgeBroker(env, frameUrl, endpoints)];
}

/** An address that others are given, and the variable that sets it. */
interface ToldAddress {
  readonly name: string;
  readonly variable: string;
  readonly url: string;
}

async function judgeUrl(address: ToldAddress, env: Environment, endpoints: Endpoints): Promise<Diagnosis> {
  const { name, url } = address;
  const host = hostOf(url);
  if (isLoopbackHost(host)) return onlyHere(name, url);
  const trouble = await askService(url);
  if (trouble === undefined) return { name, result: 'ok', message: `${url} leads to the service` };
  const message = `${url} does not lead to the service: ${trouble}`;
  return { name, result: trouble === late ? 'warn' : 'fail', message, hint: hintOf(address, env, endpoints) };
}

function hintOf({ variable, url }: ToldAddress, env: Environment, endpoints: Endpoints): string {
  if (listensHereAlone(env.PAPERGATE_HTTP_HOST)) {
    return `the service listens on this machine alone: set PAPERGATE_HTTP_HOST=0.0.0.0, or let a proxy lead ${url} to ${endpoints.http}`;
  }
  const [told, own] = [portOf(url), portOf(endpoints.http)];
  if (told !== own) {
    return `the service listens at port ${own}: lead port ${told} there (a proxy, or the ports of the container), or correct ${variable}`;
  }
  return `is ${hostOf(url)} this machine, and does its firewall let port ${told} in? else correct PAPERGATE_HOST or ${variable}`;
}

/** Dials the broker by the name that frames use, and looks whether its certificate stands for that name. */
async function judgeBroker(env: Environment, frameUrl: string, endpoints: Endpoints): Promise<Diagnosis> {
  const name = 'frames reach';
  const port = portOf(endpoints.mqtts.replace('mqtts:', 'https:'));
  const host = brokerName({
    PAPERGATE_HOST: env.PAPERGATE_HOST,
    PAPERGATE_MQTT_NAMES: (env.PAPERGATE_MQTT_NAMES ?? '').split(',').map((each) => each.trim()),
    PAPERGATE_FRAME_URL: frameUrl,
    PAPERGATE_MQTT_HOST: env.PAPERGATE_MQTT_HOST || '127.0.0.1',
  });
  if (isLoopbackHost(host)) return onlyHere(name, endpoints.mqtts);
  const shown = await certificateAt(host, port);
  const at = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  if (typeof shown === 'string') {
    const hint = listensHereAlone(env.PAPERGATE_MQTT_HOST)
      ? 'the broker listens on this machine alone: set PAPERGATE_MQTT_HOST=0.0.0.0'
      : `is ${host} this machine, and does its firewall let port ${port} in?`;
    return { name, result: shown === late ? 'warn' : 'fail', message: `no broker at ${at}: ${shown}`, hint };
  }
  const isNamed = isIP(host) === 0 ? shown.checkHost(host) !== undefined : shown.checkIP(host) !== undefined;
  if (isNamed) return { name, result: 'ok', message: `the broker at ${at} has a certificate for this name` };
  const hint = `set PAPERGATE_HOST=${host}, or add it to PAPERGATE_MQTT_NAMES, and start the service again`;
  const message = `the certificate of the broker at ${at} does not name ${host}: frames refuse it`;
  return { name, result: 'fail', message, hint };
}

function onlyHere(name: string, url: string): Diagnosis {
  const own = ownAddress() ?? 'the address of this machine';
  const hint = `set PAPERGATE_HOST to ${own}, PAPERGATE_HTTP_HOST and PAPERGATE_MQTT_HOST to 0.0.0.0`;
  return { name, result: 'warn', message: `only this machine reaches ${url}: phones and frames do not`, hint };
}

/** Returns an address of this machine in its network. */
function ownAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

const late = 'no answer in time';

/** Reports what answers at an address; undefined when it is a service like this one. */
async function askService(url: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(askTimeoutMs);
    const response = await fetch(`${url}/iotdevice/status/api`, { redirect: 'manual', signal });
    const answer: unknown = await response.json().catch(() => undefined);
    const isOurs = typeof answer === 'object' && answer !== null && 'uptimeSeconds' in answer;
    return isOurs ? undefined : `something else answers there (${response.status})`;
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return late;
    return codeOf(error instanceof Error ? error.cause : error);
  }
}

/** Returns the certificate that is shown at an address, or why there is none. */
function certificateAt(host: string, port: number): Promise<X509Certificate | string> {
  return new Promise((resolve) => {
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const socket = connect({ host, port, ...servername, rejectUnauthorized: false });
    const end = (shown: X509Certificate | string): void => {
      resolve(shown);
      socket.destroy();
    };
    socket.setTimeout(askTimeoutMs, () => end(late));
    socket.once('secureConnect', () => end(socket.getPeerX509Certificate() ?? 'it shows no certificate'));
    socket.once('error', (error) => end(codeOf(error)));
    socket.once('close', () => end('the connection was closed'));
  });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it cannot be reached';
  return 'code' in error ? String(error.code) : error.message;
}

const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

/** Whether a server that listens there is reachable from this machine alone. The usual host is 127.0.0.1. */
const listensHereAlone = (host: string | undefined): boolean => !host || isLoopbackHost(host);
