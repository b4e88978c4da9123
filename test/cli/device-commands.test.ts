import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recordFrameEvent } from '../../gateway/frames/event-log.ts';
import { type CliWorld, papergate, withCli } from './papergate.ts';

const test = suite('papergate devices, asking');

const serial = 'epd7-0000000000aa';
const at = Date.UTC(2026, 0, 2, 3, 4, 5);
const times = { lastReachableAt: at, expectedWakeAt: at + 3_600_000 };

async function hang({ frames, admin, call }: CliWorld): Promise<string> {
  await frames.provision(serial, { status: 'online', lastContactAt: at, expectedWakeAt: at + 3_600_000 });
  const json = { enable: true, organization: admin.organizationId };
  return (await call('POST', `/devices/registerdevice/${serial}`, { as: admin, json })).json.device.id;
}

/** Each line of a printed result as its name and its words. */
const linesOf = (printed: string): string[] =>
  printed
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/ {2,}/, ' '));

test('A-16: ping prints the round trip and the frame’s words; a frame that sleeps is an answer too', () =>
  withCli(async (world) => {
    const id = await hang(world);
    const { frames, run, json, call, admin } = world;
    frames.pings.set(serial, {
      success: true,
      reachable: true,
      state: 'awake',
      roundTripMs: 41,
      data: { rssi: -60 },
      ...times,
    });
    const awake = await run('devices', 'ping', serial.toUpperCase());
    assert.is(awake.code, 0, awake.stderr);
    assert.equal(linesOf(awake.stdout), [
      'state awake',
      'reachable yes',
      'roundTrip 41 ms',
      'lastContact 2026-01-02T03:04:05Z',
      'nextContact 2026-01-02T04:04:05Z',
      'rssi -60',
    ]);
    frames.pings.set(serial, { success: false, reachable: false, state: 'sleeping', ...times });
    const answer = await call('GET', `/devices/ping/${id}?dataResponse=true`, { as: admin });
    assert.equal(await json('devices', 'ping', id), answer.json);
  }));

test('C-27: reboot and reset end with 0 when they are done or kept, and with 1 and the reason when refused', () =>
  withCli(async (world) => {
    await hang(world);
    const { frames, run, json } = world;
    frames.outcomes.set(serial, { state: 'queued', commandId: 'c1', expectedAt: at });
    const kept = await run('devices', 'reboot', serial);
    assert.is(kept.code, 0);
    const expected = 'expected 2026-01-02T03:04:05Z';
    const message = 'message The frame is notified at its next wake';
    assert.equal(linesOf(kept.stdout), ['state queued', message, 'command c1', expected]);
    assert.is((await json('devices', 'reset', serial)).state, 'queued');
    const names = frames.asked.map(({ options }) => ('name' in options ? options.name : 'ping'));
    assert.equal(names, ['reboot', 'reset']);
    assert.is((await json('devices', 'identify', serial)).state, 'queued');
    assert.equal(frames.asked.at(-1), { serial, options: { name: 'identify' } });

    frames.outcomes.set(serial, { state: 'refused', commandId: 'c2', expectedAt: null, message: 'busy drawing' });
    const refused = await run('devices', 'reboot', serial);
    assert.equal([refused.code, refused.stdout, refused.stderr], [1, '', 'busy drawing\n']);
    const asJson = await run('devices', 'reboot', serial, '--json');
    assert.equal([asJson.code, JSON.parse(asJson.stdout).success], [1, false]);
  }));

test('events and logs are tables that no frame’s words can break, or the API answer as JSON', () =>
  withCli(async (world) => {
    const id = await hang(world);
    const { db, random, clock, run, json } = world;
    const now = clock.now();
    const note = (type: 'log' | 'hello', when: number, payload: Record<string, unknown>) =>
      recordFrameEvent(db, random, { serial, type, at: when, payload });
    await note('hello', now + 1, { wake: 'timer', rssi: null });
    await note('log', now + 2, { level: 'warn', message: 'low\u001b[2J\nbattery\u202eyretteb\u2066\u200f\u2028' });
    const events = await run('devices', 'events', serial);
    assert.is(events.code, 0, events.stderr);
    const [heading, hello, log, ...rest] = events.stdout.trimEnd().split('\n');
    assert.match(heading ?? '', /^TIME +TYPE +WHAT$/);
    assert.match(hello ?? '', /^\S+Z +hello +wake=timer$/);
    assert.match(log ?? '', /^\S+Z +log +level=warn message=low \[2J battery yretteb$/);
    assert.equal(rest, []);
    const logs = await run('devices', 'logs', id, '--since', '7d');
    assert.match(logs.stdout, /^TIME +LEVEL +MESSAGE\n\S+Z +warn +low \[2J battery yretteb\n$/);
    const listed: { type: string }[] = await json(
      'devices',
      'events',
      id,
      '--type',
      'hello,log',
      '--since',
      '2026-01-01',
    );
    assert.equal(
      listed.map(({ type }) => type),
      ['hello', 'log'],
    );
    const unknown = await run('devices', 'events', serial, '--type', 'gossip');
    assert.equal([unknown.code, unknown.stdout], [1, '']);
    assert.match(unknown.stderr, /TypeFilter/);
    const nonsense = await run('devices', 'logs', serial, '--since', 'yesterday');
    assert.equal([nonsense.code, nonsense.stdout], [2, '']);
  }));

test('C-46, C-60: settings change what is said and keep the rest; a frame that has not taken them yet is marked', () =>
  withCli(async (world) => {
    const id = await hang(world);
    const { frames, run, json, call, admin } = world;
    await call('POST', `/devices/${id}`, { as: admin, json: { meta: { name: 'Hall', floor: 2 } } });
    const set = await json('devices', 'settings', serial, '--sleep', '900', '--orientation', 'portrait');
    assert.equal(set.meta, { name: 'Hall', floor: 2, sleepTime: '900', orientation: 'portrait' });
    assert.equal(frames.configured.get(serial), { sleepTime: '900', updateSchedule: null, flags: {} });
    const known = frames.facts.get(serial);
    if (known === undefined) throw new Error('no facts');
    frames.facts.set(serial, { ...known, sleepSeconds: 900, keptSleepSeconds: 3600 });
    const waits = 'sleep wished 900 s, the frame has 3600 s until its next wake';
    for (const command of ['show', 'why']) {
      const { stdout } = await run('devices', command, serial);
      assert.ok(linesOf(stdout).includes(waits), stdout);
    }
    frames.facts.set(serial, { ...known, sleepSeconds: 900, keptSleepSeconds: 900 });
    assert.ok(linesOf((await run('devices', 'show', serial)).stdout).includes('sleep 900 s'));
    const toldSleep = { seconds: 500, end: 'change', at, leftOut: 3 } as const;
    frames.facts.set(serial, { ...known, sleepSeconds: 900, keptSleepSeconds: 500, toldSleep });
    const why = linesOf((await run('devices', 'why', serial)).stdout);
    assert.ok(why.includes('sleep 500 s'), 'a sleep that ends for a change is the one that it has');
    assert.ok(why.includes('wakesFor change 2026-01-02T03:04:05Z; 3 before that left out'), why.join('\n'));
    assert.is((await json('devices', 'settings', serial, '--max-wakes', '12')).meta.maxWakesPerDay, '12');
    assert.is((await json('devices', 'settings', serial, '--max-wakes', '0')).meta.maxWakesPerDay, '');
    for (const wrong of [[], ['--sleep', 'soon'], ['--orientation', 'upside-down']]) {
      assert.is((await run('devices', 'settings', serial, ...wrong)).code, 2, wrong.join(' '));
    }
  }));

test('why is one screen: the steps, what is missing, the last failure and when the frame is expected', () =>
  withCli(async (world) => {
    const id = await hang(world);
    const { run, json, call, admin } = world;
    const why = await run('devices', 'why', serial);
    assert.is(why.code, 0, why.stderr);
    const lines = linesOf(why.stdout);
    assert.ok(lines.length < 24, 'one screen');
    for (const line of [
      `device ${serial}`,
      `serial ${serial}`,
      'status online',
      'accepted -',
      'rendered -',
      'offered -',
      'announced -',
      'fetched -',
      'shown -',
      'missing no paper is selected for it',
      'lastFailure -',
      'lastContact 2026-01-02T03:04:05Z',
      'expected 2026-01-02T04:04:05Z',
    ]) {
      assert.ok(lines.includes(line), `${line} in\n${why.stdout}`);
    }
    const known = world.frames.facts.get(serial);
    if (known === undefined) throw new Error('no frame');
    world.frames.facts.set(serial, { ...known, panel: 'bwr7' });
    assert.ok(
      linesOf((await run('devices', 'why', id)).stdout).includes('panel reports panel bwr7, but is registered as epd7'),
    );
    assert.equal(await json('devices', 'why', id), (await call('GET', `/devices/why/${id}`, { as: admin })).json);
  }));

test('why of a service that is older than the command leaves out what that does not know yet', async () => {
  const id = '0'.repeat(24);
  const times = { accepted: at, rendered: at, offered: at, announced: at, fetched: at, shown: at, confirmed: at };
  const older = { name: 'Hall', deviceId: serial, paper: null, status: 'online', connected: false, level: 'confirmed' };
  const why = {
    ...older,
    ...times,
    missing: [],
    lastFailure: null,
    sleepSeconds: 900,
    lastContactAt: at,
    expectedAt: at,
  };
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(url?.startsWith('/devices/why/') ? why : [{ id, serialNumber: serial }]));
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, stdout } = await papergate({ PAPERGATE_URL: url, PAPERGATE_API_KEY: 'k' }, 'devices', 'why', serial);
    assert.is(code, 0);
    assert.ok(linesOf(stdout).includes('proven confirmed'), stdout);
    assert.not.match(stdout, /undefined|NaN|remark|waitsUntil|panel/);
  } finally {
    server.close();
  }
});

test.run();
