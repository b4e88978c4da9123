import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeClassicAnswer } from '../../firmware-protocol/classic.ts';
import { digestOf } from '../../simulator/frame/frame.ts';
import { nibbleFile } from './frame-story.ts';
import { type Said, withToyGateway } from './toy-gateway.ts';

const test = suite('classic frame, live');
const serial = 'epd13-00000000c001';
const file = new Uint8Array(960_004).fill(0x22);
const t = 1_760_003_600;

/** Answers a wake report as a gateway does. */
function answerWake({ text, client, answer }: Said): void {
  const { act, file: version } = JSON.parse(text);
  const isNewer = Number(version) < t;
  const message = { act: 'activated', timeout: 600, t, ...(isNewer ? { url: '/f/k3Zq81Lw' } : {}) } as const;
  if (act !== 1) return;
  encodeClassicAnswer(client, message, 'http://127.0.0.1:65535');
  answer(`$aws/things/${client}/epaper/receive`, message, 0);
}

test('W-07, W-13, W-14, W-16, W-26: two GETs, the probe dropped, update_ok on a second connection, then silence', async () => {
  const said: string[] = [];
  const world = {
    password: 'secret',
    said(heard: Said) {
      said.push(heard.topic === 'activateepaper' ? `file ${JSON.parse(heard.text).file}` : heard.text);
      if (heard.topic === 'activateepaper') answerWake(heard);
    },
    get: (_path: string, response: ServerResponse) =>
      response.writeHead(200, { 'content-length': file.length }).end(file),
  };
  await withToyGateway(world, async (gateway) => {
    const frame = { serial, dialect: 'classic', credentials: { kind: 'password', password: 'secret' } } as const;
    let sleeps = 0;
    const events = await gateway.run(frame, ({ event }) => event === 'asleep' && ++sleeps === 2);
    assert.equal(said, ['file 0', '{"state": "update_ok"}', `file ${t}`]);
    assert.equal(
      gateway.gets.map((get) => get.path),
      ['/f/k3Zq81Lw', '/f/k3Zq81Lw'],
    );
    assert.equal(await Promise.all(gateway.gets.map((get) => get.end)), ['dropped', 'whole']);
    assert.is(events.find(({ event }) => event === 'glass')?.sha256, digestOf(file));
    assert.equal(
      events.filter(({ event }) => event === 'link lost'),
      [],
    );
  });
});

test('W-26: DISCONNECT before the download only; asleep its connection stays until the next one takes it over', async () => {
  const world = {
    said(heard: Said) {
      if (heard.topic === 'activateepaper') answerWake(heard);
    },
    get: (_path: string, response: ServerResponse) =>
      response.writeHead(200, { 'content-length': file.length }).end(file),
  };
  await withToyGateway(world, async (gateway) => {
    const frame = { serial, dialect: 'classic', credentials: { kind: 'password', password: 'any' } } as const;
    let sleeps = 0;
    await gateway.run(frame, ({ event }) => event === 'asleep' && ++sleeps === 2);
    const links = gateway.timeline.filter((event) => /^(link|woke|asleep)/.test(event));
    const firstWake = ['woke', 'link up', 'link gone', 'link up', 'asleep'];
    assert.equal(links.slice(0, 9), [...firstWake, 'woke', 'link gone', 'link up', 'asleep']);
  });
});

test('W-12: a body cut short by the server is drawn as far as it came and called update_ok', async () => {
  const small = nibbleFile(2);
  const said: string[] = [];
  const world = {
    said(heard: Said) {
      if (heard.topic === 'updatestate') said.push(heard.text);
      if (heard.topic === 'activateepaper') answerWake(heard);
    },
    get(_path: string, response: ServerResponse) {
      response.writeHead(200, { 'content-length': small.length });
      response.write(small.subarray(0, 96_004), () => response.destroy());
    },
  };
  await withToyGateway(world, async (gateway) => {
    const credentials = await gateway.certificate('epd7-00000000c002');
    const frame = { serial: 'epd7-00000000c002', dialect: 'classic', credentials } as const;
    const events = await gateway.run(frame, ({ event }) => event === 'asleep');
    const padded = small.slice().fill(0x66, 96_004);
    assert.is(events.find(({ event }) => event === 'glass')?.sha256, digestOf(padded));
    assert.ok(events.some(({ event, state }) => event === 'said' && state === 'update_ok'));
  });
});

test('W-40: a picture server that closes every connection leaves an error text and update_failed', async () => {
  const world = {
    said(heard: Said) {
      if (heard.topic === 'activateepaper') answerWake(heard);
    },
    get: (_path: string, response: ServerResponse) => response.destroy(),
  };
  await withToyGateway(world, async (gateway) => {
    const frame = { serial, dialect: 'classic', credentials: { kind: 'password', password: 'any' } } as const;
    const events = await gateway.run(frame, ({ event }) => event === 'asleep');
    assert.is(gateway.gets.length, 6);
    assert.is(events.find(({ event }) => event === 'glass')?.shows, 'screen');
    assert.ok(events.some(({ event, state }) => event === 'said' && state === 'update_failed'));
  });
});

test('a wrong password is a lost link, and the frame keeps trying', async () => {
  const world = { password: 'secret', said: () => undefined, get: () => undefined };
  await withToyGateway(world, async (gateway) => {
    const frame = { serial, dialect: 'classic', credentials: { kind: 'password', password: 'wrong' } } as const;
    let lost = 0;
    const events = await gateway.run(frame, ({ event }) => event === 'link lost' && ++lost === 2);
    assert.match(String(events.find(({ event }) => event === 'link lost')?.why), /not authorized|bad user/i);
  });
});

test.run();
