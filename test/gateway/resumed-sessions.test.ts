/** TLS sessions that frames keep over their sleep (T-120): who may resume them, for how long, and that nothing gets weaker. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { generate } from 'mqtt-packet';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { restoredMark, takeUpRestored } from '../../gateway/after-restore.ts';
import { openListeners } from '../../gateway/broker/listeners.ts';
import { forgetTickets, ticketLookMs } from '../../gateway/broker/ticket-keys.ts';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { renewFrame } from '../../gateway/provisioning/provision-frame.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { systemRandom } from '../../runtime/random.ts';
import { openLine } from './mqtt-line.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('resumed sessions');
const serial = 'epd7-b0c1d2e3f405';
const day = 86_400_000;
const refused = 5;
const versions = ['TLSv1.2', 'TLSv1.3'] as const;

interface Wake {
  readonly code: number | 'closed';
  readonly resumed: boolean;
  /** The session that it keeps: the one that was given, or the one that it had. */
  readonly session: Buffer | undefined;
}

interface Waking {
  readonly root: string;
  readonly credential?: { readonly certificate: string; readonly key: string };
  readonly session?: Buffer | undefined;
  readonly maxVersion?: (typeof versions)[number];
  readonly clientId?: string;
  readonly password?: string | undefined;
}

/** One wake: a handshake with the session that is kept, if any, and a login. */
async function wake(
  { ports }: Pick<GatewayWorld, 'ports'>,
  { root, credential, session: kept, maxVersion = 'TLSv1.3', clientId = serial, password }: Waking,
): Promise<Wake> {
  const means = { maxVersion, ...(kept && { session: kept }) };
  const line = await openLine({ port: ports.tls, root, ...(credential && { credential }), means });
  const socket = line.socket as TLSSocket;
  // In TLS 1.3 tickets follow the handshake, in TLS 1.2 they are a part of it.
  let session = kept;
  socket.on('session', (given: Buffer) => {
    session = given;
  });
  const code = await line.login({ clientId, ...(password !== undefined && { username: clientId, password }) });
  const resumed = socket.isSessionReused();
  if (!resumed && maxVersion === 'TLSv1.2') session = socket.getSession();
  line.vanish();
  return { code, resumed, session };
}

/** A frame that was provisioned, had a first wake, and keeps what it was given. */
async function frameWithSession(world: GatewayWorld, maxVersion: Waking['maxVersion'] = 'TLSv1.3') {
  const { root, certificate, key } = await world.provision(serial);
  const credential = { certificate, key };
  const first = await wake(world, { root, credential, maxVersion });
  assert.equal([first.code, first.resumed], [0, false]);
  assert.ok(first.session !== undefined, 'it is given a session');
  return { root, credential, maxVersion, session: first.session };
}

/** Where the ticket of a session ends, as OpenSSL writes it: field 10, a string. Its end is what proves it. */
function endOfTicket(session: Buffer): number {
  for (let at = 4; at < session.length - 4; at++) {
    const [field, string] = [session.readUInt16BE(at - 4), session.readUInt16BE(at)];
    const length = session.readUInt16BE(at + 2);
    if (field === 0xaa_82 && string === 0x04_82 && session.readUInt16BE(at - 2) === length + 4) return at + 4 + length;
  }
  throw new Error('the session has no ticket');
}

const rotated = async (world: GatewayWorld): Promise<void> => {
  await until(() => world.clock.isArmed(ticketLookMs), 'the look before is over');
  world.clock.elapses(ticketLookMs);
  await until(() => world.clock.isArmed(ticketLookMs), 'the look is over');
};

for (const maxVersion of versions) {
  test(`${maxVersion}: a kept session is resumed again and again, also after a restart of the service`, () =>
    withGateway(async (world) => {
      const frame = await frameWithSession(world, maxVersion);
      for (const _wake of [1, 2])
        assert.equal(await wake(world, frame), { code: 0, resumed: true, session: frame.session });
      await world.restart();
      assert.equal(await wake(world, frame), { code: 0, resumed: true, session: frame.session });
    }));

  test(`${maxVersion}: it opens nothing that its certificate does not: revoked, ended, renewed, of another frame`, () =>
    withGateway(async (world) => {
      const frame = await frameWithSession(world, maxVersion);
      const other = await wake(world, { ...frame, clientId: 'epd7-000000000001' });
      assert.equal([other.code, other.resumed], [refused, true]);
      const deps = { ...world, random: systemRandom(world.clock) };
      const renewed = await renewFrame(deps, { serial, overlapMs: day });
      assert.is((await wake(world, frame)).code, 0, 'within the overlap');
      world.clock.passes(day + 1);
      assert.is((await wake(world, frame)).code, refused, 'after it');
      const next = await wake(world, { ...frame, credential: renewed, session: undefined });
      assert.equal([next.code, next.resumed], [0, false]);
      await world.revoke(serial);
      const after = await wake(world, { ...frame, session: next.session });
      assert.equal([after.code, after.resumed], [refused, true]);
    }));

  test(`${maxVersion}: without a certificate a session opens nothing: the password is asked for`, () =>
    withGateway(async (world) => {
      const { root, password } = await world.provision(serial, { withPassword: true });
      const first = await wake(world, { root, maxVersion, password });
      assert.is(first.code, 0);
      const kept = { root, maxVersion, session: first.session };
      assert.equal(
        [await wake(world, kept), await wake(world, { ...kept, password })].map(({ code, resumed }) => [code, resumed]),
        [
          [refused, true],
          [0, true],
        ],
      );
    }));

  test(`${maxVersion}: where its keys are gone the frame shakes hands in full, and keeps what it is given then`, () =>
    withGateway(async (world) => {
      const frame = await frameWithSession(world, maxVersion);
      await forgetTickets(world.db, { now: world.clock.now(), random: systemRandom(world.clock) });
      await rotated(world);
      const full = await wake(world, frame);
      assert.equal([full.code, full.resumed], [0, false]);
      assert.ok((await wake(world, { ...frame, session: full.session })).resumed);
    }));

  test(`${maxVersion}: a damaged ticket is a full handshake`, () =>
    withGateway(async (world) => {
      const frame = await frameWithSession(world, maxVersion);
      const session = Buffer.from(frame.session);
      const end = endOfTicket(session);
      session[end - 1] = (session[end - 1] ?? 0) ^ 1;
      const full = await wake(world, { ...frame, session });
      assert.equal([full.code, full.resumed], [0, false]);
    }));
}

test('the keys end after a week, however often a session was resumed, and by clocks that leap either way', () =>
  withGateway(async (world) => {
    let frame = await frameWithSession(world);
    await rotated(world);
    assert.ok((await wake(world, frame)).resumed, 'a look changes nothing');
    for (const leap of [7 * day, -30 * day, 7 * day]) {
      world.clock.passes(leap);
      if (leap > 0) await rotated(world);
      else await world.restart();
      const full = await wake(world, frame);
      assert.equal([full.code, full.resumed], [0, false], `${leap / day} days`);
      frame = { ...frame, session: full.session as Buffer };
    }
    world.clock.passes(6 * day);
    await rotated(world);
    assert.ok((await wake(world, frame)).resumed, 'within a week all stays');
  }));

test('what was refused stays refused: a session of a certificate of another authority', () =>
  withGateway(async (world) => {
    const { root } = await world.provision(serial);
    const stranger = await (await openAuthority(join(world.dataFolder, 'other'), world.clock.now())).issueFrame(
      serial,
      world.clock.now(),
    );
    for (const maxVersion of versions) {
      const first = await wake(world, { root, credential: stranger, maxVersion });
      const second = await wake(world, { root, credential: stranger, maxVersion, session: first.session });
      assert.equal([first.code, second.code, second.resumed], [refused, refused, true], maxVersion);
    }
  }));

test('two nodes over one database resume each other’s sessions, and follow each other’s keys', () =>
  withGateway(async (world) => {
    const other = await world.anotherNode();
    const frame = await frameWithSession(world);
    assert.equal((await wake(other, frame)).resumed, true);
    await forgetTickets(world.db, { now: world.clock.now(), random: systemRandom(world.clock) });
    await rotated(world);
    await until(async () => !(await wake(other, frame)).resumed, 'the other follows');
    const full = await wake(world, frame);
    assert.ok(!full.resumed && (await wake(other, { ...frame, session: full.session })).resumed);
  }));

test('a restored backup takes no session from before', () =>
  withGateway(async (world) => {
    const frame = await frameWithSession(world);
    await world.db.raw(restoredMark, ['now']);
    assert.ok(await takeUpRestored(world.db, { random: systemRandom(world.clock), now: world.clock.now() }));
    await world.restart();
    const full = await wake(world, frame);
    assert.equal([full.code, full.resumed], [0, false]);
  }));

test('another authority takes no session of the one before', () =>
  withGateway(async (world) => {
    const frame = await frameWithSession(world);
    const keysOf = async (folder: string) =>
      (await openAuthority(folder, world.clock.now())).ticketKeys('salt').toString('hex');
    const other = await keysOf(join(world.dataFolder, 'other'));
    assert.is(await keysOf(world.dataFolder), await keysOf(world.dataFolder));
    assert.is.not(await keysOf(world.dataFolder), other);
    await rm(join(world.dataFolder, 'authority'), { recursive: true });
    await openAuthority(world.dataFolder, world.clock.now());
    await world.restart();
    const { root } = await openAuthority(world.dataFolder, world.clock.now());
    const after = await wake(world, { ...frame, root });
    assert.equal([after.code, after.resumed], [refused, false]);
  }));

test('a renewed certificate of the broker leaves sessions as they are; other keys end them', () =>
  withGateway(async (world) => {
    const authority = await openAuthority(world.dataFolder, world.clock.now());
    const certificate = (name: string) => authority.server([name, '127.0.0.1'], world.clock.now());
    let renew: (server: Awaited<ReturnType<typeof certificate>>) => void = () => {};
    let change: (keys: Buffer) => void = () => {};
    const first = authority.ticketKeys('one');
    const listeners = await openListeners(
      {
        host: '127.0.0.1',
        tlsPort: 0,
        plainPort: undefined,
        server: await certificate('one'),
        root: authority.root,
        renewed(use) {
          renew = use;
        },
        tickets: {
          first,
          renewed(use) {
            change = use;
          },
        },
      },
      (socket) => void socket.write(generate({ cmd: 'pingresp' })),
      { logger: silentLogger, clock: world.clock },
    );
    /** Shakes hands, and resolves with whether the session was resumed, and with the one that it has then. */
    const meet = async (session?: Buffer) => {
      const { socket } = await openLine({
        port: listeners.ports.tls,
        root: authority.root,
        means: session && { session },
      });
      const resumed = (socket as TLSSocket).isSessionReused();
      // The ticket may be read before the first bytes, or after them.
      const [given] = await Promise.all([resumed ? [session] : once(socket, 'session'), once(socket, 'data')]);
      socket.destroy();
      return { resumed, session: given[0] as Buffer | undefined };
    };
    try {
      const { session } = await meet();
      renew(await certificate('two'));
      assert.ok((await meet(session)).resumed);
      change(authority.ticketKeys('two'));
      const full = await meet(session);
      assert.not(full.resumed);
      renew(await certificate('three'));
      assert.ok((await meet(full.session)).resumed, 'the newest keys stay, too');
    } finally {
      await listeners.close();
    }
  }));

test.run();
