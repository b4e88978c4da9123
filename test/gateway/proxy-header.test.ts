/** Connections of a load balancer stand for the peers that it names, and nobody else may name one (PROXY protocol 2). */
import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openListeners } from '../../gateway/broker/listeners.ts';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { endOf } from './mqtt-line.ts';
import { until, withGateway } from './world.ts';

const test = suite('proxy header');

/** A header of version 2 as bytes. */
function header(family: number, rest: readonly number[], command = 0x21): Buffer {
  const fixed = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
  return Buffer.from([...fixed, command, family, rest.length >> 8, rest.length & 255, ...rest]);
}

/** A header for 203.0.113.9, port 4660, with extensions behind. */
const fourth = header(0x11, [203, 0, 113, 9, 10, 0, 0, 1, 0x12, 0x34, 0x22, 0xb3, 4, 0, 1, 0]);
const sixth = header(0x21, [
  ...[0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7],
  ...Array.from({ length: 16 }, () => 0),
  ...[0, 80, 0, 81],
]);
const mapped = header(0x21, [
  ...[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 198, 51, 100, 200],
  ...Array.from({ length: 16 }, () => 0),
  ...[0, 80, 0, 81],
]);

interface Door {
  /** Sockets that shook hands, with their peers as they were at that time. */
  readonly accepted: string[];
  /** The peers that were counted, before their handshakes. */
  readonly met: string[];
  /** Connects and writes these bytes first, in one packet each. */
  connect(...first: readonly Buffer[]): Promise<Socket>;
  /** Connects, writes the bytes and shakes hands over the same socket. */
  shakeHands(...first: readonly Buffer[]): Promise<void>;
  logged(): readonly string[];
}

function withDoor(isProxy: (address: string) => boolean, run: (door: Door) => Promise<void>): Promise<void> {
  return withGateway(async (world) => {
    const authority = await openAuthority(world.dataFolder, world.clock.now());
    const server = await authority.server(['127.0.0.1'], world.clock.now());
    const listening = { host: '127.0.0.1', tlsPort: 0, plainPort: undefined, server, root: authority.root, isProxy };
    const [accepted, met, logged]: string[][] = [[], [], []];
    const logger = { ...silentLogger, warn: (_of: unknown, text?: string) => void logged?.push(text ?? '') };
    const listeners = await openListeners(
      listening,
      ({ remoteAddress, remotePort }) => void accepted?.push(`${remoteAddress} ${remotePort}`),
      {
        logger: logger as typeof silentLogger,
        clock: world.clock,
        most(address) {
          met?.push(address);
          return 100;
        },
      },
    );
    const sockets: Socket[] = [];
    const connect = async (...first: readonly Buffer[]): Promise<Socket> => {
      const socket = connectPlain({ port: listeners.ports.tls, host: '127.0.0.1', noDelay: true }).on(
        'error',
        () => {},
      );
      sockets.push(socket);
      await once(socket, 'connect');
      for (const bytes of first) {
        await new Promise((resolve) => socket.write(bytes, resolve));
        await new Promise(setImmediate);
      }
      return socket;
    };
    const shakeHands = async (...first: readonly Buffer[]): Promise<void> => {
      const socket = connectTls({ socket: await connect(...first), rejectUnauthorized: false }).on('error', () => {});
      sockets.push(socket);
      await once(socket, 'secureConnect');
    };
    try {
      await run({ accepted: accepted ?? [], met: met ?? [], connect, shakeHands, logged: () => logged ?? [] });
    } finally {
      for (const socket of sockets) socket.destroy();
      await listeners.close();
      console.log('closed');
    }
  });
}

const everyByte = [...fourth].map((byte) => Buffer.from([byte]));

for (const [what, first, peer] of [
  ['IPv4 and extensions', [fourth], '203.0.113.9 4660'],
  ['IPv4, byte by byte', everyByte, '203.0.113.9 4660'],
  ['IPv6', [sixth], '2001:db8::7 80'],
  ['IPv4 written as IPv6', [mapped], '198.51.100.200 80'],
] as const) {
  test(`a header with ${what} gives the connection its peer, for limits before the handshake and after it`, () =>
    withDoor(
      () => true,
      async ({ shakeHands, accepted, met }) => {
        await shakeHands(...first);
        await until(() => accepted.length === 1, 'it is accepted');
        assert.equal(accepted, [peer]);
        assert.equal(met, [peer.split(' ')[0]]);
      },
    ));
}

test('a trusted peer without a header, and the balancer’s own check, count for themselves', () =>
  withDoor(
    () => true,
    async ({ shakeHands, accepted, met, logged, connect }) => {
      await shakeHands();
      await shakeHands(header(0, [], 0x20));
      await until(() => accepted.length === 2, 'both are accepted');
      assert.ok(
        accepted.every((peer) => /^127\.0\.0\.1 \d+$/.test(peer)),
        accepted.join(),
      );
      assert.equal(met, ['127.0.0.1', '127.0.0.1']);
      const looker = await connect();
      looker.destroy();
      await shakeHands();
      await until(() => accepted.length === 3, 'the next one is accepted');
      assert.equal(logged(), []);
    },
  ));

test('from anybody else a header is not one: the connection ends, under its own address', () =>
  withDoor(
    () => false,
    async ({ connect, accepted, met }) => {
      await endOf(await connect(fourth));
      assert.equal(accepted, []);
      assert.equal(met, ['127.0.0.1']);
    },
  ));

for (const [what, bytes, problem] of [
  ['a version that is not known', header(0x11, [], 0x31), 'a version or a command'],
  ['a peer that is not named whole', header(0x11, [203, 0]), 'neither TCP over IPv4'],
  [
    'a Unix socket',
    header(
      0x31,
      Array.from({ length: 216 }, () => 65),
    ),
    'neither TCP over IPv4',
  ],
  [
    'more than a header may hold',
    header(
      0x11,
      Array.from({ length: 600 }, () => 0),
    ),
    'longer than 536 bytes',
  ],
] as const) {
  test(`${what} ends the connection, and the log says why`, () =>
    withDoor(
      () => true,
      async ({ connect, accepted, logged }) => {
        await endOf(await connect(bytes));
        assert.equal(accepted, []);
        assert.equal(logged().length, 1);
        assert.match(logged()[0] ?? '', problem);
      },
    ));
}

test.run();
