import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { HomeAssistantDeps } from '../../api/home-assistant/home-assistant.ts';
import { discoveryTopic } from '../../api/home-assistant/topics.ts';
import { workUnderLease } from '../../cluster/nodes/leases.ts';
import { systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { until as holds } from '../gateway/world.ts';
import { type HttpWorld, type Person, withHttp } from '../http/world.ts';
import { hassProblems } from './hass-schema.ts';
import { clientOf, type HomeBroker, openHomeBroker } from './home-broker.ts';

const test = suite('home assistant');

const until = (what: string, isSo: () => unknown): Promise<void> => holds(isSo, what);

const serial = 'epd7-0a0b0c0d0e0f';
const config = discoveryTopic('homeassistant', serial);

async function register(world: HttpWorld, named: string, as: Person = world.admin): Promise<string> {
  await world.frames.provision(named);
  const json = { enable: true, organization: as.organizationId };
  const answer = await world.call('POST', `/devices/registerdevice/${named}`, { as, json });
  assert.is(answer.status, 200, answer.text);
  return answer.json.device.id;
}

async function paper(world: HttpWorld, deviceId: string, title: string): Promise<string> {
  const json = { organization: world.admin.organizationId, deviceId, kind: 'text', meta: { title, text: title } };
  const answer = await world.call('POST', '/papers/', { as: world.admin, json });
  assert.is(answer.status, 200, answer.text);
  return answer.json.id;
}

interface Home {
  readonly world: HttpWorld;
  readonly broker: HomeBroker;
  readonly deviceId: string;
  start(more?: Partial<HomeAssistantDeps>): Promise<() => Promise<void>>;
}

async function withHome(run: (home: Home) => Promise<void>): Promise<void> {
  await withHttp(async (world) => {
    const broker = await openHomeBroker();
    const ends: (() => Promise<void>)[] = [];
    try {
      const deviceId = await register(world, serial);
      await run({
        world,
        broker,
        deviceId,
        async start(more) {
          const client = clientOf(world, broker.url, more);
          client.start();
          let end: Promise<void> | undefined;
          const stop = (): Promise<void> => {
            end ??= client.stop();
            return end;
          };
          ends.push(stop);
          return stop;
        },
      });
    } finally {
      for (const end of ends) await end();
      await world.changes.stop();
      await broker.close();
    }
  });
}

const optionsIn = (broker: HomeBroker): string[] | undefined =>
  JSON.parse(broker.retained.get(config) ?? '{"components":{}}').components.paper?.options;

test('a frame appears with its state, its papers follow, and an idle service publishes nothing', async () => {
  await withHome(async ({ world, broker, deviceId, start }) => {
    const stop = await start();
    await until('the frame', () => broker.retained.has(`papergate/${serial}/state`));
    assert.equal(hassProblems(JSON.parse(broker.retained.get(config) ?? '')), []);
    assert.is(broker.retained.get('papergate/status'), 'online');
    await paper(world, deviceId, 'Family');
    await until('the paper', () => optionsIn(broker)?.[0] === 'Family');
    await pause(1_500);
    const count = broker.published.length;
    await pause(2_000);
    assert.is(broker.published.length, count, 'nothing changed');
    await stop();
    assert.is(broker.retained.get('papergate/status'), 'offline');
  });
});

test("T-95: commands are judged, done as a call is, recorded in the log of who did what, and others' frames are out of reach", async () => {
  await withHome(async ({ world, broker, deviceId, start }) => {
    await register(world, 'epd7-ffffffffffff', world.stranger);
    const id = await paper(world, deviceId, 'Family');
    await paper(world, deviceId, 'Calendar');
    world.frames.outcomes.set(serial, { state: 'queued', commandId: 'c', expectedAt: null });
    await start();
    await until('the choices', () => optionsIn(broker)?.length === 2);
    assert.not(
      [...broker.retained.keys()].some((topic) => topic.includes('ffffffffffff')),
      'another organization',
    );
    for (const [topic, text] of [
      ['papergate/epd7-ffffffffffff/do', 'reboot'],
      [`papergate/${serial}/do`, 'reset'],
      [`papergate/${serial}/do`, 'constructor'],
      [`papergate/${serial}/set/paper`, '__proto__'],
      [`papergate/${serial}/set/paper`, 'x'.repeat(5_000)],
    ] as const) {
      await broker.publish(topic, text);
    }
    const ignored = () => world.log.filter(({ message }) => message.includes('is ignored')).length;
    await until('five lines', () => ignored() === 5);
    assert.equal(world.frames.asked, []);
    await broker.publish(`papergate/${serial}/set/paper`, 'Family');
    await until(
      'the paper',
      async () => (await world.db('devices').where({ id: deviceId }).first('paper_id')).paper_id === id,
    );
    await until(
      'the state',
      () => JSON.parse(broker.retained.get(`papergate/${serial}/state`) ?? '{}').paper === 'Family',
    );
    for (let times = 0; times < 20; times++) await broker.publish(`papergate/${serial}/do`, 'reboot');
    await until('the limit', () =>
      world.log.some(({ message }) => /is ignored: .*(many|often|rate|limit)/i.test(message)),
    );
    assert.ok(world.frames.asked.length <= 10, `${world.frames.asked.length} of 20 were asked`);
    const { json } = await world.call('GET', `/organizations/${world.admin.organizationId}/audit/`, {
      as: world.admin,
    });
    const told = json.entries.find(({ action }: { action: string }) => action === 'device.changed');
    assert.equal(told.who, { by: 'integration', name: 'Home Assistant', userId: null, accountId: null, key: null });
    assert.ok(world.log.filter(({ message }) => message.includes('is ignored')).length <= 10, 'lines are limited');
  });
});

test('a frame that goes takes its device along, also when the service was away meanwhile', async () => {
  await withHome(async ({ world, broker, deviceId, start }) => {
    const other = await register(world, 'epd7-111111111111');
    const stop = await start();
    await until('both', () => [...broker.retained.keys()].filter((topic) => topic.endsWith('/state')).length === 2);
    await world.call('DELETE', `/devices/${other}`, { as: world.admin });
    await until('one', () => ![...broker.retained.keys()].some((topic) => topic.includes('111111111111')));
    await stop();
    await world.call('DELETE', `/devices/${deviceId}`, { as: world.admin });
    await broker.publish('homeassistant/device/somebody_elses/config', '{"components":{}}', true);
    await start();
    await until('none', () => !broker.retained.has(config) && !broker.retained.has(`papergate/${serial}/state`));
    assert.ok(broker.retained.has('homeassistant/device/somebody_elses/config'), 'what is not ours stays');
  });
});

test('the birth message of Home Assistant brings everything again, and a kept one nothing', async () => {
  await withHome(async ({ broker, start }) => {
    await broker.publish('homeassistant/status', 'online', true);
    await start();
    const configs = () => broker.published.filter(({ topic }) => topic === config).length;
    await until('the frame', () => broker.retained.has(`papergate/${serial}/state`));
    await pause(1_000);
    const before = configs();
    await broker.publish('homeassistant/status', 'online');
    await until('again', () => configs() === before + 1);
  });
});

test('when the process is killed the broker says offline, and after a break everything is published again', async () => {
  await withHome(async ({ broker, start }) => {
    await start();
    await until('online', () => broker.retained.get('papergate/status') === 'online');
    broker.cut();
    await until('the will', () =>
      broker.published.some(({ topic, text }) => topic === 'papergate/status' && text === 'offline'),
    );
    await until('online again', () => broker.retained.get('papergate/status') === 'online');
  });
});

test('a broker that is away or refuses is one warning with what to do, and no secret', async () => {
  await withHome(async ({ world, broker, start }) => {
    const { port } = new URL(broker.url);
    await start({ url: `mqtt://home:wrong-secret@127.0.0.1:${port}` });
    const warned = () => world.log.filter(({ message }) => message.startsWith("the home's broker"));
    await until('the warning', () => warned().length > 0);
    await pause(3_500);
    assert.is(warned().length, 1, 'said once, although it is tried again');
    assert.match(warned()[0]?.message ?? '', /refuses/);
    assert.match(String(warned()[0]?.fields.hint), /PAPERGATE_HASS_MQTT_URL/);
    assert.not.match(JSON.stringify(world.log), /wrong-secret/);
  });
});

test('a broker that refuses subscriptions is reported, and one that was restarted without its memory gets everything', async () => {
  await withHttp(async (world) => {
    await register(world, serial);
    const deaf = await openHomeBroker(0, { deaf: true });
    const client = clientOf(world, deaf.url);
    client.start();
    try {
      await until('the warning', () => world.log.some(({ message }) => message.includes('refuses subscriptions')));
      await until('the frame', () => deaf.retained.has(config));
      await deaf.close();
      const next = await openHomeBroker(Number(new URL(deaf.url).port));
      try {
        await until(
          'the frame again',
          () => next.retained.has(`papergate/${serial}/state`) && next.retained.has(config),
        );
      } finally {
        await client.stop();
        await next.close();
      }
    } finally {
      await client.stop();
      await world.changes.stop();
    }
  });
});

test('a broker that comes up after the service gets every frame', async () => {
  await withHttp(async (world) => {
    await register(world, serial);
    const before = await openHomeBroker();
    await before.close();
    const client = clientOf(world, before.url);
    client.start();
    try {
      const isTold = () => world.log.some(({ message }) => message.startsWith("the home's broker"));
      await until('the warning', isTold);
      // The stream of changes has meanwhile asked for everything to be published.
      await pause(1_500);
      const late = await openHomeBroker(Number(new URL(before.url).port));
      try {
        await until('the frame', () => late.retained.has(config) && late.retained.has(`papergate/${serial}/state`));
      } finally {
        await client.stop();
        await late.close();
      }
    } finally {
      await client.stop();
      await world.changes.stop();
    }
  });
});

test('of two nodes over one database one is the client, and the other one follows', async () => {
  await withHome(async ({ world: { db }, broker, start }) => {
    const leased = { db, clock: systemClock, logger: silentLogger };
    const node = (holder: string): HomeAssistantDeps['cluster'] => ({
      underLease: (name, begin) => workUnderLease({ ...leased, holder }, name, begin).stop,
    });
    const stop = await start({ cluster: node('node-a') });
    await until('one', () => broker.clients() === 1);
    await start({ cluster: node('node-b') });
    await pause(1_000);
    assert.is(broker.clients(), 1);
    await stop();
    await until('the other one', () => broker.retained.get('papergate/status') === 'online');
    assert.is(broker.clients(), 1);
  });
});

test.run();
