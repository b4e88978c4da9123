/** Where the time of a sandbox is moved: a small HTTP server on loopback alone. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { isoTime } from '../../runtime/clock.ts';
import type { MovedClock } from '../../testbed/moved-time/moved-clock.ts';
import { controlPath } from '../../testbed/moved-time/under-way.ts';

/** The fastest that time runs; beyond it frames are awake most of the time. */
export const maxSpeed = 100_000;
const maxLeapMs = 400 * 86_400_000;
const maxBodyBytes = 1_000;

/** A request: another speed, a leap, or both, the speed first. */
const asked = z
  .strictObject({
    speed: z.number().min(0).max(maxSpeed).optional(),
    leapMs: z.number().int().min(1).max(maxLeapMs).optional(),
  })
  .refine(({ speed, leapMs }) => speed !== undefined || leapMs !== undefined, 'neither speed nor leapMs');

/**
 * Listens. `GET /time` returns the time, `POST /time` moves it and answers when that is done.
 * @param failed is called with errors of the listener
 */
export async function listenForControl(
  clock: MovedClock,
  failed: (error: Error) => void,
): Promise<{ address: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    answer(clock, request, response).then(
      ([status, body]) => send(response, status, body),
      (error: Error) => send(response, 500, { error: error.message }),
    );
  });
  server.on('error', failed);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}${controlPath}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(
  clock: MovedClock,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<[status: number, body: object]> {
  if (request.url !== controlPath) return [404, { error: `there is ${controlPath}, and nothing else` }];
  // No page of a browser moves time.
  if (request.headers.origin !== undefined) return [403, { error: 'not from a page' }];
  if (request.method === 'GET') return [200, told(clock)];
  if (request.method !== 'POST') return [405, { error: 'GET or POST' }];
  const wanted = asked.safeParse(await readJson(request));
  if (!wanted.success) {
    const most = `{"speed": 0 to ${maxSpeed}, "leapMs": up to ${maxLeapMs}}, at least one of them`;
    return [400, { error: `${z.prettifyError(wanted.error)}; send ${most}` }];
  }
  const { speed, leapMs } = wanted.data;
  if (speed !== undefined) clock.run(speed);
  if (leapMs !== undefined) await keepingAlive(response, () => clock.leap(leapMs));
  return [200, told(clock)];
}

/** How often an answer that takes its time shows that it comes; clients give up on silence, `fetch` after five minutes. */
const signEveryMs = 15_000;

/** Sends the head of an answer at once, and white space before its JSON while the work goes on. */
async function keepingAlive(response: ServerResponse, work: () => Promise<void>): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  const signs = setInterval(() => response.write(' '), signEveryMs);
  try {
    await work();
  } finally {
    clearInterval(signs);
  }
}

const told = (clock: MovedClock): object => ({ now: isoTime(clock.now()), speed: clock.speed });

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > maxBodyBytes) return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
}
