/** Headers that a pattern may be slow on. */
import { connect } from 'node:net';
import { generate } from 'mqtt-packet';
import sharp from 'sharp';
import { openLine } from '../../gateway/mqtt-line.ts';
import { type Abuse, addressOf, always, deviceOf, householdOf, uploadImage } from './attack.ts';
import { send } from './send.ts';
import type { Scene } from './stage.ts';

const sizes = [3_000, 7_000, 15_000, 5_000, 11_000];

const ranges: readonly ((bytes: number) => string)[] = [
  (bytes) => `bytes=${' '.repeat(bytes / 2)}-${' '.repeat(bytes / 2)}x`,
  (bytes) => `bytes=${'\t'.repeat(bytes / 2)}-${'\t'.repeat(bytes / 2)}x`,
  (bytes) => `bytes${' '.repeat(bytes / 3)}=${' '.repeat(bytes / 3)}-${' '.repeat(bytes / 3)}x`,
  (bytes) => `bytes=${'1'.repeat(bytes / 2)} -${' '.repeat(bytes / 2)}x`,
  (bytes) => `bytes=${'0-1,'.repeat(bytes / 4)}`,
];

/** Headers that something on the way reads, by name. `?` stands for what makes them long. */
const others: readonly (readonly [name: string, text: (bytes: number) => string])[] = [
  ['if-none-match', (bytes) => `W/${'"a",W/'.repeat(bytes / 7)}x`],
  ['if-none-match', (bytes) => `${' ,'.repeat(bytes / 2)}x`],
  ['if-range', (bytes) => `"${' '.repeat(bytes)}x`],
  ['authorization', (bytes) => `Bearer${' '.repeat(bytes)}!`],
  ['authorization', (bytes) => `Bearer ${'a.'.repeat(bytes / 2)}!`],
  ['content-type', (bytes) => `application/json${' '.repeat(bytes)};x`],
  ['content-type', (bytes) => `multipart/form-data${' '.repeat(bytes)}x; boundary=${'"'.repeat(50)}`],
  ['cookie', (bytes) => `${' ='.repeat(bytes / 2)};`],
  ['x-forwarded-for', (bytes) => `${'1.1.1.1, '.repeat(bytes / 9)}${' '.repeat(9)}x`],
  ['forwarded', (bytes) => `for=${'"'.repeat(bytes)}`],
  ['accept', (bytes) => `${'text/*;q=0.1,'.repeat(bytes / 13)}x`],
  ['accept-language', (bytes) => `${'a-'.repeat(bytes / 2)}`],
  ['x-request-id', (bytes) => `${'a'.repeat(bytes)}!`],
  ['host', (bytes) => `${'a.'.repeat(bytes / 2)}`],
];

/** The address of a picture that a frame of an attacker was offered. */
async function pictureAddress(scene: Scene): Promise<string> {
  const household = householdOf(scene, 0);
  const picture = await sharp({ create: { width: 80, height: 48, channels: 3, background: '#a33' } })
    .png()
    .toBuffer();
  await uploadImage(scene, household, deviceOf(household, 0), picture, AbortSignal.timeout(30_000));
  const { serial = '', password = '' } = household.frames[0] ?? {};
  const line = await openLine({ port: scene.mqttPort });
  await line.login({ clientId: serial, username: serial, password });
  await line.subscribe(`frames/1/${serial}/desired`);
  const hello = {
    boot: 1,
    firmware: '1.0.0',
    panel: 'epd7',
    fileVersion: 0,
    pictureSynced: false,
    wake: 'timer',
    orientation: 2,
    sleepSeconds: 3600,
  };
  const publish = { cmd: 'publish', qos: 0, dup: false, retain: false, topic: `frames/1/${serial}/hello` } as const;
  line.write(generate({ ...publish, payload: JSON.stringify(hello) }));
  const { picture: named } = (await line.message()) as { picture?: { url: string } };
  line.vanish();
  if (named === undefined) throw new Error('no picture was offered');
  return new URL(named.url).pathname;
}

const range: Abuse = {
  what: 'Range headers of 3 to 15 kB on a picture address, 8 at once, without a key',
  async attack(scene, tally) {
    const path = await pictureAddress(scene);
    return (over) =>
      always(8, over, tally, async (at, turn) => {
        const written = ranges[(at + turn) % ranges.length]?.(sizes[turn % sizes.length] ?? 3_000) ?? '';
        const headers = { range: written };
        return (await send(scene.http, { method: 'GET', path, headers, from: addressOf(at), signal: over })).status;
      });
  },
};

const other: Abuse = {
  what: 'other long headers (etags, credentials, types, addresses), 8 at once, without a key',
  async attack(scene, tally) {
    const picture = await pictureAddress(scene);
    const paths = [picture, '/organizations/', '/signed/x.png/y?s=z', '/v1/integration-papers/exchange'];
    return (over) =>
      always(8, over, tally, async (at, turn) => {
        const [name, text] = others[(at + turn) % others.length] ?? ['accept', () => '*/*'];
        const headers = { [name]: text(sizes[turn % sizes.length] ?? 3_000) };
        const path = paths[turn % paths.length] ?? '/';
        const method = name === 'content-type' ? 'POST' : 'GET';
        const from = addressOf(at * 30 + (turn % 30));
        return (
          await send(scene.http, {
            method,
            path,
            headers,
            from,
            signal: over,
            ...(method === 'POST' && { body: '{}' }),
          })
        ).status;
      });
  },
};

/** Connections that send nothing, or half of a request, from so many addresses that no system runs out of ports. */
const connections: Abuse = {
  what: 'connections without a request, 500 a second, none of them ended',
  async attack(scene, tally) {
    const { hostname, port } = new URL(scene.http);
    const open = (at: number) =>
      new Promise<string>((resolve) => {
        const socket = connect({ host: hostname, port: Number(port), localAddress: addressOf(at) });
        socket.once('connect', () => {
          if (at % 2 === 0) socket.write('GET / HTTP/1.1\r\nHost: x\r\nx-long: ');
          resolve('open');
        });
        socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
      });
    return (over) => always(10, over, tally, (at, turn) => open(turn * 10 + at));
  },
};

/** Abuses of this sort. */
export const headerAbuses = { range, headers: other, connections };
