/** One identity, one frame: copies, loops and strangers are seen, and prove nothing (T-42, T-45, T-47). */
import { connect, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { missingProof } from '../../api/delivery-state/weigh-evidence.ts';
import { limitUnauthenticated, maxUnauthenticated } from '../../gateway/broker/limit-unauthenticated.ts';
import { openListeners } from '../../gateway/broker/listeners.ts';
import { maxConnects } from '../../gateway/identity/admit-frame.ts';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { countPerMinute, minuteMs } from '../../gateway/identity/count-per-minute.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { fieldedFrame } from './fielded-frame.ts';
import { openLine } from './mqtt-line.ts';
import { nativeLine } from './native-line.ts';
import { placeFrame } from './placed-frame.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('one identity');
const serial = 'epd7-b0c1d2e3f405';
const day = 86_400_000;

const alerts = async (world: GatewayWorld) => (await world.events(serial, 'alert')).map(({ payload }) => payload);
const status = async (world: GatewayWorld) => (await world.gateway.facts(serial))?.status;

test('T-47: a copied certificate raises an alert, and nothing its second holder says proves a picture', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    await world.activate(serial);
    const first = await nativeLine(world, serial, credential);
    await first.hello({ boot: 40 });
    assert.is(await first.desired(), undefined);
    const uploadId = await world.offer(serial, 'note 1');
    const picture = await first.desired();
    if (picture === undefined) throw new Error('the first frame was offered nothing');

    const second = await nativeLine(world, serial, credential);
    await second.hello({ boot: 12 });
    const same = await second.desired();
    assert.is(same?.upload, uploadId, 'it is told the same');
    assert.is(await second.fetch(picture), picture.sha256);
    await second.report(picture);
    await second.hello({ boot: 12, fileVersion: picture.fileVersion, sha256: picture.sha256, pictureSynced: true });
    await second.report(picture, { stage: 'failed', reason: 'out of spite' });
    await second.say('bye', { sleepSeconds: 604_800 });

    assert.equal(await world.lacks(uploadId), ['shown', 'in step', 'version', 'digest']);
    assert.equal(await alerts(world), [{ problem: 'the boot counter went backwards', boot: 12, bootBefore: 40 }]);
    assert.is(await status(world), 'error');
    const known = await world.evidence(uploadId);
    assert.is(known.failedAt, null);
    assert.ok(Number(known.expectedWakeAt) < world.clock.now() + 2 * 3_600_000, 'its bye moved no expectation');

    const again = await nativeLine(world, serial, credential);
    await again.hello({ boot: 41 });
    const offered = await again.desired();
    if (offered === undefined) throw new Error('the first frame is offered its picture again');
    assert.is(await again.fetch(offered), picture.sha256);
    await again.report(offered);
    assert.equal(await world.lacks(offered.upload), [], 'the first frame goes on');
    assert.is(await status(world), 'error', 'and people have to look');
  });
});

test('T-47: what a copy fetched before the announcement neither counts nor stands in the way', async () => {
  for (const frameFetches of [true, false]) {
    await withGateway(async (world) => {
      const credential = await world.provision(serial);
      await world.activate(serial);
      const known = await nativeLine(world, serial, credential);
      await known.hello({ boot: 50 });
      await known.desired();
      await known.say('bye', { sleepSeconds: 3600 });
      const uploadId = await world.offer(serial, 'note 1');

      const copy = await nativeLine(world, serial, credential);
      await copy.hello({ boot: 3 });
      const taken = await copy.desired();
      if (taken === undefined) throw new Error('the copy is told nothing');
      assert.is(await copy.fetch(taken), taken.sha256);
      await copy.report(taken);
      assert.is((await world.evidence(uploadId)).fetchedAt, null);

      world.clock.passes(60_000);
      const frame = await nativeLine(world, serial, credential);
      await frame.hello({ boot: 51 });
      const told = await frame.desired();
      if (told === undefined) throw new Error('the frame is told nothing');
      if (frameFetches) assert.is(await frame.fetch(told), told.sha256);
      await frame.report(told);
      assert.equal(await world.lacks(uploadId), frameFetches ? [] : ['fetched', 'shown']);
      await frame.hello({ boot: 51, fileVersion: told.fileVersion, sha256: told.sha256, pictureSynced: true });
      const next = await frame.desired();
      assert.is(next === undefined, frameFetches, 'what was never taken is offered under a new version');
    });
  }
});

test('T-47: a conflict is over after a week, and then the counter is taken as it is', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    const { hello } = await nativeLine(world, serial, credential);
    await hello({ boot: 40 });
    await hello({ boot: 1 });
    await world.restart();
    const later = await nativeLine(world, serial, credential);
    await later.hello({ boot: 2 });
    assert.is((await alerts(world)).length, 1, 'one alert a conflict');
    world.clock.passes(7 * day - 60_000);
    assert.is(await status(world), 'error');
    world.clock.passes(61_000);
    assert.is.not(await status(world), 'error');
    await later.hello({ boot: 3 });
    assert.is((await alerts(world)).length, 1);
    await later.hello({ boot: 2 });
    assert.is((await alerts(world)).length, 2, 'backwards again: another conflict');
  });
});

test('T-47: a conflict of long ago does not let the next copy pass', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    const { hello } = await nativeLine(world, serial, credential);
    await hello({ boot: 40 });
    await hello({ boot: 1 });
    world.clock.passes(7 * day);
    await hello({ boot: 41 });
    assert.is(await status(world), 'online');
    await hello({ boot: 2 });
    assert.is((await alerts(world)).length, 2);
    assert.is(await status(world), 'error');
  });
});

test('T-47: provisioning again settles a conflict', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    const { hello } = await nativeLine(world, serial, credential);
    await hello({ boot: 40 });
    await hello({ boot: 1 });
    assert.is(await status(world), 'error');
    const fresh = await nativeLine(world, serial, await world.provision(serial));
    assert.is(await status(world), 'online');
    await fresh.hello({ boot: 1 });
    await fresh.hello({ boot: 1 });
    assert.is((await alerts(world)).length, 1);
    assert.is(await status(world), 'online');
  });
});

test('T-47: two fielded frames with one identity give themselves away by their versions, and prove nothing until it is settled', async () => {
  await withGateway(async (world) => {
    const first = await placeFrame(world, serial);
    const second = fieldedFrame({
      identity: serial,
      broker: first.broker,
      prefix: world.url,
      draw: () => world.downloadsSettled(),
    });
    const missing = async (upload: string, revision: string) =>
      missingProof(await world.evidence(upload), revision, world.clock.now());
    const proven = async (upload: string, revision: string) =>
      until(async () => (await missing(upload, revision)).length === 0, `${revision} is proven`);

    const roses = await world.offer(serial, 'roses');
    await first.wake();
    await proven(roses, 'roses');
    // Its copy comes from the factory, as a frame that was reset does: that alone is no conflict.
    await second.wake();
    await proven(roses, 'roses');
    const tulips = await world.offer(serial, 'tulips');
    await first.wake();
    await proven(tulips, 'tulips');
    assert.equal(await alerts(world), []);

    const lilies = await world.offer(serial, 'lilies');
    await second.wake();
    await until(async () => (await world.evidence(lilies)).shownAt !== null, 'the claim was recorded');
    assert.equal(await missing(lilies, 'lilies'), ['identity-doubted']);
    const [alert] = await alerts(world);
    assert.is(alert?.problem, 'the version it holds went backwards');
    assert.is(await status(world), 'error');

    await world.provision(serial);
    assert.ok((await missing(lilies, 'lilies')).includes('not-fetched'), 'who of them fetched it is not known');
    await second.wake();
    const last = await world.evidence(lilies);
    assert.is.not(last.fetchedAt, null);
    await proven(lilies, 'lilies');
  });
});

/** A line with a password from one of this machine's addresses. */
async function lineFrom(world: GatewayWorld, from: string, password: string) {
  const line = await openLine({ port: world.ports.plain, from });
  assert.is(await line.login({ clientId: serial, username: serial, password }), 0);
  return line;
}

test('A-12, T-47: two addresses that push each other out are two frames; one that moved, or comes back, is one', async () => {
  await withGateway(async (world) => {
    const { password = '' } = await world.provision(serial, { withPassword: true });
    for (let time = 0; time < 6; time++) await lineFrom(world, '127.0.0.1', password);
    for (const from of ['127.0.0.2', '127.0.0.1']) await lineFrom(world, from, password);
    assert.equal(await alerts(world), []);
    world.clock.passes(minuteMs);
    for (const from of ['127.0.0.2', '127.0.0.1']) await lineFrom(world, from, password);
    assert.equal(await alerts(world), []);
    assert.is(await status(world), 'online');
    for (const from of ['127.0.0.2', '127.0.0.1', '127.0.0.2']) await lineFrom(world, from, password);
    await until(async () => (await alerts(world)).length > 0, 'the alert is recorded');
    assert.equal(await alerts(world), [{ problem: 'two devices keep disconnecting each other' }]);
    assert.is(await status(world), 'error');
  });
});

test('T-42, B-22: an identity that reconnects in a loop is refused for the rest of its minute, alerted once; others are not', async () => {
  await withGateway(async (world) => {
    const { password = '' } = await world.provision(serial, { withPassword: true });
    const other = await world.provision('epd7-000000000001', { withPassword: true });
    const plain = { port: world.ports.plain };
    const mine = { clientId: serial, username: serial, password };
    for (let time = 0; time < 40; time++) {
      const line = await openLine(plain);
      assert.is(await line.login({ ...mine, password: 'wrong' }), 5);
    }
    for (let time = 1; time <= maxConnects; time++) {
      const line = await openLine(plain);
      assert.is(await line.login(mine), 0, `connect ${time}; wrong passwords do not count`);
      line.vanish();
    }
    for (let time = 0; time < 3; time++) assert.is(await (await openLine(plain)).login(mine), 3);
    const beside = { clientId: other.serial, username: other.serial, password: other.password ?? '' };
    assert.is(await (await openLine(plain)).login(beside), 0);
    assert.equal(await alerts(world), [{ problem: 'reconnects too often' }]);
    world.clock.passes(minuteMs);
    assert.is(await (await openLine(plain)).login(mine), 0);
  });
});

test('a minute begins with the first count, and holds whatever the clock does', () => {
  const steps = fc.array(
    fc.record({ key: fc.constantFrom('a', 'b', 'c'), ms: fc.integer({ min: -30_000, max: 90_000 }) }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, fc.boolean(), (walk, forward) => {
      let now = 1_800_000_000_000;
      const count = countPerMinute({ now: () => now });
      const begun = new Map<string, { since: number; count: number }>();
      const counted = new Map<string, number>();
      for (const { key, ms } of walk) {
        now += forward ? Math.abs(ms) : ms;
        const known = begun.get(key);
        const goesOn = known !== undefined && Math.abs(now - known.since) < minuteMs;
        const expected = goesOn ? { ...known, count: known.count + 1 } : { since: now, count: 1 };
        begun.set(key, expected);
        counted.set(key, (counted.get(key) ?? 0) + 1);
        const said = count(key);
        // A clock that is set back may begin a minute early; it never counts what did not happen.
        assert.ok(said >= 1 && said <= (counted.get(key) ?? 0));
        if (forward) assert.is(said, expected.count);
      }
    }),
  );
});

/** A server that keeps what it accepts, and a way to connect to it. */
async function withPort(run: (connectOne: () => Promise<Socket>, port: number) => Promise<void>, port: number) {
  const sockets: Socket[] = [];
  try {
    await run(async () => {
      const socket = connect({ host: '127.0.0.1', port });
      sockets.push(socket.resume());
      socket.on('error', () => {});
      await new Promise((resolve) => socket.once('connect', resolve));
      return socket;
    }, port);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

test('T-45: an address may have so many sockets waiting for their login, TLS or not; those logged in do not count', async () => {
  await withGateway(async (world) => {
    const authority = await openAuthority(world.dataFolder, world.clock.now());
    const server = await authority.server(['127.0.0.1'], world.clock.now());
    const listening = { host: '127.0.0.1', tlsPort: 0, plainPort: 0, server, root: authority.root };
    const accepted: Socket[] = [];
    const open = () =>
      openListeners(listening, (socket) => void accepted.push(socket), {
        logger: silentLogger,
        clock: world.clock,
        most: () => 3,
      });
    for (const kind of ['tls', 'plain'] as const) {
      const listeners = await open();
      await withPort(async (connectOne) => {
        const held = [await connectOne(), await connectOne(), await connectOne()];
        const fourth = await connectOne();
        await until(() => fourth.closed, `the fourth is closed (${kind})`);
        assert.ok(held.every((socket) => !socket.closed));
        held[0]?.destroy();
        await until(async () => !(await connectOne().then(endsSoon)), 'the place of one that left is free');
      }, listeners.ports[kind] ?? 0);
      await listeners.close();
    }
    const listeners = await open();
    await withPort(async (connectOne) => {
      const before = accepted.length;
      for (let at = 0; at < 9; at++) {
        await connectOne();
        await until(() => accepted.length === before + at + 1, `socket ${at} is accepted`);
        listeners.loggedIn(accepted[before + at] as Socket);
      }
    }, listeners.ports.plain ?? 0);
    await listeners.close();
  });
});

/** Whether a socket is closed by its peer before it could have been accepted and kept. */
async function endsSoon(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve(true));
    setTimeout(() => resolve(false), 50);
  });
}

test('T-45: this machine’s own addresses are not distinguished, others are', () => {
  for (const own of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])
    assert.is(maxUnauthenticated(own), Infinity);
  for (const other of ['10.0.0.7', '::ffff:10.0.0.7', '2001:db8::1', '12.7.0.0'])
    assert.is(maxUnauthenticated(other), 256);
});

test('T-45: what is remembered of strangers goes with them', async () => {
  const strangers = limitUnauthenticated(() => 2);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (!strangers.enter(socket)) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  await withPort(async (connectOne) => {
    const open = [await connectOne(), await connectOne()];
    await until(() => strangers.size() === 1, 'both are counted');
    for (const socket of open) socket.destroy();
    await until(() => strangers.size() === 0, 'nothing is left');
  }, address.port);
  await new Promise((resolve) => server.close(resolve));
});

test.run();
