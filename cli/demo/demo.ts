/** `papergate demo`: a photograph and a text travel from an integration to three frames, and are proven to be there. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Schemas } from '../../client/contract.ts';
import { refuse } from '../../reasons/refusals.ts';
import { type ClientCredentials, callApi } from '../ground/client.ts';
import { printText } from '../ground/print.ts';
import { drawLandscape } from './landscape.ts';
import { type DeliveryStatus, type PushedMessage, printTimeline } from './timeline.ts';
import { cast, type DemoWorld, openWorld } from './world.ts';

/** A push that has not reached every glass by then has failed. */
const syncTimeoutMs = 60_000;
const left = ['service.log', 'panels', '1-photo', '2-text', 'callbacks.json', 'frames.jsonl'];
const caption = 'Greetings from the lake. Back on Sunday!';
const text = 'Dinner is at seven.\nBring bread.';

/** Runs the story; throws with the reason when a frame never shows the newest content. */
export async function demo(options: { out: string; photo?: string; keep?: boolean }): Promise<void> {
  const folder = resolve(options.out);
  await mkdir(folder, { recursive: true });
  // Only the files of an earlier demo are removed: the folder is a person's choice.
  for (const name of left) await rm(join(folder, name), { recursive: true, force: true });
  const photograph = options.photo ?? process.env.PHOTO;
  const image = photograph ? await readPhotograph(photograph) : await drawLandscape();
  printText('Starting the service, an integration and three simulated frames ...');
  const world = await openWorld(folder);
  try {
    printText(`  service      ${world.stage.http}   ${world.stage.mqtts}   ${world.stage.mqtt}`);
    for (const { name, serial, dialect, login } of cast)
      printText(`  ${name.padEnd(12)} ${serial}  ${dialect}, by ${login}`);
    const first = await push(world, { messageId: 'photo-1', text: caption, imageBase64: image.toString('base64') });
    await settle(world, first, folder, '1-photo');
    const second = await push(world, { messageId: 'text-1', text });
    await settle(world, second, folder, '2-text');
    await waitFor(world, () => callbacksOf(world, first, 'superseded') === 1, 'the first message was never superseded');
    await writeFile(join(folder, 'callbacks.json'), JSON.stringify([...world.integration.callbacks.values()], null, 2));
    await writeFile(join(folder, 'frames.jsonl'), world.trace.map((event) => `${JSON.stringify(event)}\n`).join(''));
    const seconds = (second.syncedAt - second.submittedAt) / 1000;
    printText(`\nEvery frame is proven to show the newest message; the second took ${seconds.toFixed(1)} s.`);
    printText(`Panels, callbacks and what the frames did: ${folder}`);
    if (options.keep) await keepRunning(world);
  } finally {
    await world.stop();
  }
}

async function push(
  world: DemoWorld,
  content: { messageId: string; text: string; imageBase64?: string },
): Promise<PushedMessage> {
  const submittedAt = Date.now();
  const accepted = await callApi(backend(world), 'POST /v1/integration-papers/connections/{connectionId}/content', {
    path: { connectionId: world.connection.connectionId },
    body: content,
  });
  return { ...accepted, ...content, submittedAt, acceptedAt: Date.now(), syncedAt: 0 };
}

/** Waits until every frame is synced for this message and a callback reported it, then stores the glasses' pictures. */
async function settle(world: DemoWorld, message: PushedMessage, folder: string, name: string): Promise<void> {
  const deliveries = await waitForSync(world, message);
  message.syncedAt = Date.now();
  const told = () =>
    callbacksOf(world, message, 'synced') === cast.length && callbacksOf(world, message, 'available') === 1;
  await waitFor(world, told, 'a callback is missing');
  await keepGlasses(world, join(folder, name));
  printTimeline(message, deliveries, [...world.integration.callbacks.values()]);
}

async function waitForSync(world: DemoWorld, message: PushedMessage): Promise<readonly DeliveryStatus[]> {
  const deadline = Date.now() + syncTimeoutMs;
  for (;;) {
    const status = await readStatus(world);
    const { deliveries } = status;
    if (status.messageId === message.messageId && deliveries.length === cast.length) {
      if (deliveries.every(({ state }) => state === 'synced')) return deliveries;
      const lost = deliveries.find(({ state }) => state !== 'synced' && state !== 'pending' && state !== 'prepared');
      if (lost !== undefined)
        throw new Error(`${lost.frameName} is ${lost.state}: ${lost.reason ?? 'no reason given'}`);
    }
    if (Date.now() > deadline)
      throw new Error(`not synced after ${syncTimeoutMs / 1000} s:\n${whatIsMissing(deliveries)}`);
    await pause(100);
  }
}

function whatIsMissing(deliveries: readonly DeliveryStatus[]): string {
  return deliveries
    .map(({ frameName, state, reason, evidence }) => {
      const missing = evidence?.missing?.join(', ') ?? reason ?? '';
      return `  ${frameName}: ${state} ${missing}`;
    })
    .join('\n');
}

function readStatus(world: DemoWorld): Promise<Schemas['ConnectionStatus']> {
  return callApi(backend(world), 'GET /v1/integration-papers/connections/{connectionId}/status', {
    path: { connectionId: world.connection.connectionId },
  });
}

async function waitFor(world: DemoWorld, holds: () => boolean, otherwise: string): Promise<void> {
  const deadline = Date.now() + syncTimeoutMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`${otherwise}; ${world.integration.callbacks.size} callbacks came`);
    await pause(50);
  }
}

function callbacksOf(world: DemoWorld, message: PushedMessage, state: string): number {
  return [...world.integration.callbacks.values()].filter(
    ({ body }) => body.requestId === message.requestId && body.state === state,
  ).length;
}

/** Stores the picture of each glass at this moment, from the frames' own memory, not the service's. */
async function keepGlasses(world: DemoWorld, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [serial, frame] of world.fleet.frames) {
    await writeFile(join(folder, `${serial}.png`), await frame.glassPng());
  }
}

async function readPhotograph(file: string): Promise<Buffer> {
  return readFile(file).catch(() => {
    throw refuse('bad-configuration', { message: `${file} cannot be read`, hint: 'a JPEG, PNG or WebP file' });
  });
}

async function keepRunning(world: DemoWorld): Promise<void> {
  const { connectionId, token } = world.connection;
  printText(`
The service and its three frames keep running. Push to them:

  curl -s ${world.stage.http}/v1/integration-papers/connections/${connectionId}/content \\
    -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\
    -d '{"messageId":"hello-1","text":"Hello, paper"}'

and look where it is:

  curl -s ${world.stage.http}/v1/integration-papers/connections/${connectionId}/status -H 'Authorization: Bearer ${token}'

Open the console, within ten minutes:

  ${world.stage.link}

As an operator:  export PAPERGATE_URL=${world.stage.http} PAPERGATE_API_KEY=${world.stage.apiKey}
Ctrl-C ends everything.`);
  await new Promise<void>((end) => {
    const awake = setInterval(() => {}, 60_000);
    const stop = () => {
      clearInterval(awake);
      end();
    };
    process.once('SIGINT', stop).once('SIGTERM', stop);
  });
}

function backend(world: DemoWorld): ClientCredentials {
  return { url: world.stage.http, bearer: world.connection.token };
}
