/** A household that lives with the service while others abuse it: it calls, uploads, is pushed to, and its frames wake. */
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import sharp from 'sharp';
import { startIntegration } from '../../../cli/demo/integration.ts';
import type { ClientCredentials } from '../../../cli/ground/client.ts';
import { callApi } from '../../call-api.ts';
import { connectIntegration, postcardMeta } from '../../journeys/world.ts';
import { hostileAddress, isInside } from './own-network.ts';
import { send } from './send.ts';
import type { Scene } from './stage.ts';
import { wakeFrame } from './wake-frame.ts';

/** Something that was asked for: when, and how long it took. Not ok: refused, failed, or not done yet when last looked at. */
export interface Asked {
  readonly what: string;
  readonly at: number;
  ms: number;
  ok: boolean;
  done: boolean;
  /** Why it is not ok. */
  problem: string;
}

/** The observations of the household, in the order in which it asked. */
export interface Victim {
  readonly calls: readonly Asked[];
  readonly health: readonly Asked[];
  readonly uploads: readonly Asked[];
  readonly pushes: readonly Asked[];
  /** Pictures of a website that has a name; none without a name server. */
  readonly websites: readonly Asked[];
  readonly wakes: readonly Asked[];
  /** Stops asking; what is not done yet is left at the age that it has. */
  stop(): Promise<void>;
}

/** 210 calls a minute: below what one account may ask, together with its uploads. */
const callEveryMs = 285;
const healthEveryMs = 100;
const uploadEveryMs = 4_000;
const websiteEveryMs = 6_000;
const websitePort = 8081;
const wakeEveryMs = 3_000;
const preparedLimitMs = 180_000;
const callLimitMs = 60_000;
const wakeLimitMs = 20_000;

/** Moves in. */
export async function moveIn(scene: Scene): Promise<Victim> {
  const { organizationId, apiKey, frames } = scene.victim;
  const person = { url: scene.http, apiKey };
  const integration = await startIntegration();
  const website = isInside ? await openWebsite() : undefined;
  const over = new AbortController();
  const { signal } = over;
  const [first, second, third] = frames.map(({ deviceId }) => deviceId) as [string, string, string];
  const drawn = await paperOn(person, organizationId, first, 'image', {});
  const pushed = await paperOn(person, organizationId, second, 'plugin', postcardMeta(integration));
  const push = await connectIntegration(person, integration, pushed);
  const pictures = await Promise.all([0, 1, 2, 3, 4].map(async (turn) => new Uint8Array(await ordinaryPicture(turn))));
  const rows = new Sqlite(scene.databaseFile, { readonly: true });
  const offered = rows.prepare('select 1 from upload_attempts where attempt_id = ? and upload_id is not null');
  const prepared = rows.prepare("select 1 from deliveries where request_id = ? and state in ('prepared', 'synced')");
  const seen: Record<'calls' | 'health' | 'uploads' | 'pushes' | 'websites' | 'wakes', Asked[]> = {
    calls: [],
    health: [],
    uploads: [],
    pushes: [],
    websites: [],
    wakes: [],
  };

  const note = (list: Asked[], what: string, limitMs: number, work: () => Promise<unknown>): Promise<void> => {
    const asked: Asked = { what, at: performance.now(), ms: 0, ok: false, done: false, problem: 'not done' };
    list.push(asked);
    const end = (problem: string, ms = performance.now() - asked.at): void => {
      if (!asked.done && !signal.aborted) Object.assign(asked, { ms, ok: problem === '', done: true, problem });
    };
    const worked = work().then(
      (ms) => end('', typeof ms === 'number' ? ms : undefined),
      (error: unknown) => end(error instanceof Error ? error.message.slice(0, 80) : 'failed'),
    );
    return Promise.race([worked, pause(limitMs, undefined, { ref: false }).then(() => end('no answer in time'))]);
  };
  /** Begins again and again, whether the last one is done or not: so no stall hides the calls it held up. */
  const steadily = async (everyMs: number, begin: (turn: number) => unknown): Promise<void> => {
    for (let turn = 0, due = performance.now(); !signal.aborted; turn++, due += everyMs) {
      begin(turn);
      await pause(Math.max(0, due + everyMs - performance.now()));
    }
  };
  /** One after the other, each in its time or as soon as the last one is done. */
  const inTurn = async (everyMs: number, work: (turn: number) => Promise<unknown>): Promise<void> => {
    for (let turn = 0; !signal.aborted; turn++) {
      const from = performance.now();
      await work(turn);
      await pause(Math.max(50, from + everyMs - performance.now()));
    }
  };
  const until = async (statement: Sqlite.Statement, id: string): Promise<void> => {
    while (!signal.aborted && statement.get(id) === undefined) await pause(50);
  };

  const lists: readonly (readonly ['GET' | 'POST', string, unknown?])[] = [
    ['GET', `/devices/?organization=${organizationId}`],
    ['GET', `/papers/?organization=${organizationId}`],
    ['GET', `/devices/${first}`],
    ['POST', `/devices/${first}`, { alarmEnable: 1 }],
    ['GET', `/devices/why/${second}`],
    ['GET', `/papers/${pushed}`],
    ['GET', '/organizations/'],
    ['GET', `/devices/upload-logs/${first}`],
  ];
  const call = async (turn: number): Promise<void> => {
    const [method, path, body] = lists[turn % lists.length] ?? ['GET', '/organizations/'];
    await note(seen.calls, `${method} ${path}`, callLimitMs, () => callApi(person, method, path, body));
  };
  const look = (turn: number): Promise<void> =>
    note(seen.health, 'health', callLimitMs, async () => {
      // Each address has a limit of its own.
      const from = `127.0.2.${1 + (turn % 200)}`;
      await send(scene.http, { method: 'GET', path: '/iotdevice/status/api', from, timeoutMs: callLimitMs });
    });
  const upload = (turn: number): Promise<void> =>
    note(seen.uploads, 'upload', preparedLimitMs, async () => {
      const picture = pictures[turn % pictures.length] ?? new Uint8Array();
      const form = new FormData();
      form.set('picture', new Blob([picture]), 'picture.jpg');
      const path = `/papers/uploadSingleImage/${drawn}`;
      const { uploadAttemptId } = await callApi<{ uploadAttemptId: string }>(person, 'POST', path, form);
      await until(offered, uploadAttemptId);
    });
  const submit = (turn: number): Promise<void> =>
    note(seen.pushes, 'push', preparedLimitMs, async () => {
      const text = `Round ${turn}`;
      await until(prepared, (await push.submit({ messageId: text, text })).requestId);
    });
  const photograph = (turn: number): Promise<void> =>
    note(seen.websites, 'website', preparedLimitMs, async () => {
      const options = { url: `${website?.origin}/?${turn}`, uuid: 'website' };
      await callApi(person, 'POST', `/devices/updateSingleImageFromWebsite/${third}`, options);
    });
  const wake = (at: number) => (turn: number) =>
    note(seen.wakes, `wake of frame ${at}`, wakeLimitMs, () =>
      wakeFrame(scene, frames[at] ?? scene.victim.frames[0], turn),
    );

  const living = [
    steadily(callEveryMs, call),
    steadily(healthEveryMs, look),
    inTurn(uploadEveryMs, upload),
    inTurn(uploadEveryMs, submit),
    ...(website === undefined ? [] : [inTurn(websiteEveryMs, photograph)]),
    ...frames.map((_, at) => pause(at * 900).then(() => inTurn(wakeEveryMs, wake(at)))),
  ];
  return {
    ...seen,
    async stop() {
      const now = performance.now();
      for (const asked of Object.values(seen).flat()) if (!asked.done) asked.ms = now - asked.at;
      over.abort();
      await Promise.race([Promise.allSettled(living), pause(1_000)]);
      rows.close();
      await integration.stop();
      website?.stop();
    },
  };
}

/** An ordinary website under a name. */
async function openWebsite(): Promise<{ origin: string; stop(): void }> {
  const page = '<!doctype html><html><body><h1>Today</h1><p>Soup, bread and apples.</p></body></html>';
  const server = createServer((_, response) => void response.setHeader('content-type', 'text/html').end(page));
  await new Promise<void>((resolve) => server.listen(websitePort, hostileAddress, resolve));
  return {
    origin: `http://menu.ordinary.example:${websitePort}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function paperOn(
  person: ClientCredentials,
  organization: string,
  deviceId: string,
  kind: string,
  meta: object,
): Promise<string> {
  const options = { deviceId, kind, organization, meta: { orientation: 'landscape', ...meta } };
  const { id } = await callApi<{ id: string }>(person, 'POST', '/papers/', options);
  await callApi(person, 'POST', `/devices/${deviceId}`, { paper: id });
  return id;
}

/** A photograph's size; each is another one. */
export function ordinaryPicture(turn: number): Promise<Buffer> {
  const [width, height] = [1_600, 1_200];
  const rgb = Buffer.alloc(width * height * 3);
  for (let at = 0, pixel = 0; at < rgb.length; at += 3, pixel++) {
    const [x, y] = [pixel % width, (pixel / width) | 0];
    rgb[at] = (x / 8 + turn * 40) & 255;
    rgb[at + 1] = (y / 6 + turn * 90) & 255;
    rgb[at + 2] = ((x ^ y) >> 3) & 255;
  }
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 85 })
    .toBuffer();
}
