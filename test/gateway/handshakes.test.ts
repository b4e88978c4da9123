/** TLS handshakes that never end: closed in time, forgotten, and no hindrance at the end of the service (T-45, B-12). */
import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { handshakeMs, type Listeners, openListeners } from '../../gateway/broker/listeners.ts';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { endOf } from './mqtt-line.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('handshakes');
const most = 3;

/** The beginning of a ClientHello that promises 508 bytes more. */
const helloBegins = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 0, 0, 0, 0, 0]);

interface Door {
  readonly listeners: Listeners;
  readonly accepted: Socket[];
  /** Sockets that connect to the TLS port and are counted there. */
  strangers(count: number): Promise<Socket[]>;
}

async function withDoor(world: GatewayWorld, run: (door: Door) => Promise<void>): Promise<void> {
  const authority = await openAuthority(world.dataFolder, world.clock.now());
  const server = await authority.server(['127.0.0.1'], world.clock.now());
  const listening = { host: '127.0.0.1', tlsPort: 0, plainPort: undefined, server, root: authority.root };
  const accepted: Socket[] = [];
  let met = 0;
  const listeners = await openListeners(listening, (socket) => void accepted.push(socket), {
    logger: silentLogger,
    clock: world.clock,
    most() {
      met++;
      return most;
    },
  });
  const sockets: Socket[] = [];
  const strangers = async (count: number): Promise<Socket[]> => {
    const before = met;
    const opened = Array.from({ length: count }, () => connectPlain(listeners.ports.tls, '127.0.0.1'));
    sockets.push(...opened);
    for (const socket of opened) socket.on('error', () => {}).resume();
    await until(() => met === before + count, 'all have come in');
    return opened;
  };
  try {
    await run({ listeners, accepted, strangers });
  } finally {
    for (const socket of sockets) socket.destroy();
    await listeners.close();
  }
}

test('T-45, B-12: a handshake that has not ended after ten seconds is closed, silent or dripping, and its place is free', async () => {
  await withGateway(async (world) => {
    await withDoor(world, async ({ listeners, accepted, strangers }) => {
      const [silent, dripping] = (await strangers(2)) as [Socket, Socket];
      const frame = connectTls({ host: '127.0.0.1', port: listeners.ports.tls, rejectUnauthorized: false });
      await once(frame, 'secureConnect');
      await until(() => accepted.length === 1, 'one shook hands');
      const [turnedAway] = (await strangers(1)) as [Socket];
      await endOf(turnedAway);

      for (const byte of helloBegins) {
        world.clock.elapses(handshakeMs / 2 / helloBegins.length);
        assert.not(dripping.destroyed || silent.destroyed, 'they have their ten seconds');
        await new Promise((written) => dripping.write(Buffer.from([byte]), written));
      }
      world.clock.elapses(handshakeMs * 0.6);
      await Promise.all([endOf(silent), endOf(dripping)]);
      assert.not(accepted[0]?.destroyed, 'what comes after the handshake has limits of its own');
      await Promise.all((await strangers(2)).map(async (socket) => assert.not(socket.closed)));
      assert.not(frame.destroyed);
      frame.destroy();
    });
  });
});

test('a handshake that fails is closed at once', async () => {
  await withGateway(async (world) => {
    await withDoor(world, async ({ strangers }) => {
      const [babbling] = (await strangers(1)) as [Socket];
      babbling.write('GET / HTTP/1.1\r\n\r\n');
      await endOf(babbling);
    });
  });
});

test('a handshake that never ends does not keep the service from ending', async () => {
  await withGateway(async (world) => {
    const silent = connectPlain(world.ports.tls, '127.0.0.1');
    silent.resume();
    await once(silent, 'connect');
    await until(() => world.clock.isArmed(handshakeMs), 'the gateway has met it');
    await world.restart();
    await endOf(silent);
  });
});

test.run();
