import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recheckMs } from '../../gateway/broker/session.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { openLine } from './mqtt-line.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('login');
const serial = 'epd7-b0c1d2e3f405';
const refused = 5;

/** A certificate nobody vouches for. */
async function selfSigned(name: string): Promise<{ certificate: string; key: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: algorithm,
  });
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { certificate: certificate.toString('pem'), key };
}

/** A line over TLS with a frame's credential, or with none. */
async function tlsLine(world: GatewayWorld, root: string, credential?: { certificate: string; key: string }) {
  return openLine({ port: world.ports.tls, root, ...(credential === undefined ? {} : { credential }) });
}

test('a frame logs in with its own certificate, and with no other frame’s (FACT-04, T-42, W-38)', async () => {
  await withGateway(async (world) => {
    const mine = await world.provision(serial);
    const other = await world.provision('epd7-000000000001');
    assert.is(await (await tlsLine(world, mine.root, mine)).login({ clientId: serial }), 0);
    assert.is(await (await tlsLine(world, mine.root, other)).login({ clientId: serial }), refused);
    assert.is((await world.gateway.facts(serial))?.connected, true, 'the real frame stays');
    assert.is((await world.gateway.facts(other.serial))?.connected, false);
  });
});

test('a certificate of another authority is refused, also with our names in it, and nobody else is harmed', async () => {
  await withGateway(async (world) => {
    const mine = await world.provision(serial);
    const neighbour = await world.provision('epd7-000000000001');
    const beside = await tlsLine(world, neighbour.root, neighbour);
    assert.is(await beside.login({ clientId: neighbour.serial }), 0);
    const folder = await mkdtemp(join(tmpdir(), 'papergate-authority-'));
    const foreign = await (await openAuthority(folder, Date.now())).issueFrame(serial, Date.now());
    await rm(folder, { recursive: true });
    // OpenSSL may trip over the signature below an issuer of our name before there is anything to answer over.
    for (let round = 0; round < 5; round++) {
      assert.is.not(await (await tlsLine(world, mine.root, foreign)).login({ clientId: serial }), 0);
      await beside.ping();
    }
    assert.is(await (await tlsLine(world, mine.root, await selfSigned(serial))).login({ clientId: serial }), refused);
    await beside.ping();
    assert.is((await world.gateway.facts(serial))?.connected, false);
  });
});

test('a certificate of our authority that the registry does not know is refused', async () => {
  await withGateway(async (world) => {
    const mine = await world.provision(serial);
    await world.db('frame_certificates').delete();
    assert.is(await (await tlsLine(world, mine.root, mine)).login({ clientId: serial }), refused);
  });
});

test('a certificate revoked before the connection is refused, and a new one works', async () => {
  await withGateway(async (world) => {
    const old = await world.provision(serial);
    assert.is(await frameRegistry(world.db).revoke(serial, world.clock.now()), 1);
    assert.is(await (await tlsLine(world, old.root, old)).login({ clientId: serial }), refused);
    const fresh = await world.provision(serial);
    assert.is(await (await tlsLine(world, old.root, fresh)).login({ clientId: serial }), 0);
  });
});

test('a certificate revoked during a connection ends it: the next message is not acknowledged (B-04)', async () => {
  await withGateway(async (world) => {
    const mine = await world.provision(serial);
    const line = await tlsLine(world, mine.root, mine);
    assert.is(await line.login({ clientId: serial }), 0);
    const log = (message: string) =>
      line.publish(`frames/1/${serial}/log`, JSON.stringify({ level: 'info', message }), { qos: 1 });
    assert.is(await log('before'), true);
    await world.revoke(serial);
    world.clock.passes(recheckMs);
    let said: Promise<boolean[]> | undefined;
    // The look at the credential waits for the database until both have come.
    await world.db.transaction(async () => {
      said = Promise.all([log('after'), log('right behind it')]);
      await line.ping();
    });
    assert.equal(await said, [false, false]);
    await line.ended();
    // Its end is recorded behind all that it said.
    await until(async () => (await world.events(serial, 'disconnect')).length === 1, 'the end is recorded');
    const events = await world.events(serial, 'log');
    assert.equal(
      events.map(({ payload }) => payload.message),
      ['before'],
    );
  });
});

test('without certificate and password there is no login, over TLS or plain', async () => {
  await withGateway(async (world) => {
    const mine = await world.provision(serial, { withPassword: true });
    const plain = await openLine({ port: world.ports.plain });
    assert.is(await plain.login({ clientId: serial }), refused);
    assert.is(await (await tlsLine(world, mine.root)).login({ clientId: serial }), refused);
  });
});

test('a password logs in exactly its own frame (T-42)', async () => {
  await withGateway(async (world) => {
    const { password } = await world.provision(serial, { withPassword: true });
    const other = await world.provision('epd7-000000000001', { withPassword: true });
    const none = await world.provision('epd7-000000000002');
    if (password === undefined || other.password === undefined) throw new Error('no password was made');
    const attempts: readonly [clientId: string, username: string, password: string, code: number][] = [
      [serial, serial, password, 0],
      [serial, serial.toUpperCase(), password, 0],
      [serial, serial, `${password}x`, refused],
      [serial, serial, '', refused],
      [serial, serial, other.password, refused],
      [serial, other.serial, other.password, refused],
      [serial, other.serial, password, refused],
      [none.serial, none.serial, '', refused],
      [none.serial, none.serial, '0'.repeat(64), refused],
      ['epd7-00000000beef', 'epd7-00000000beef', password, refused],
    ];
    for (const [clientId, username, said, code] of attempts) {
      const line = await openLine({ port: world.ports.plain });
      assert.is(await line.login({ clientId, username, password: said }), code, `${clientId} as ${username}`);
      line.vanish();
    }
  });
});

test('client ids that are not a frame identity are refused, whatever the certificate (FACT-04, B-16)', async () => {
  await withGateway(async (world) => {
    const mine = await world.provision(serial);
    const ids = [
      '+',
      '#',
      'A/#',
      '$SYS',
      '',
      'e'.repeat(65),
      '../B',
      `${serial}/x`,
      ` ${serial}`,
      'constructor',
      '__proto__',
    ];
    for (const clientId of ids) {
      const line = await tlsLine(world, mine.root, mine);
      assert.is(await line.login({ clientId }), refused, JSON.stringify(clientId));
    }
    // NUL is no MQTT text at all.
    const line = await tlsLine(world, mine.root, mine);
    assert.is.not(await line.login({ clientId: `${serial}\u0000` }), 0);
  });
});

test('a frame may spell its identity in other letter case than its certificate (W-35)', async () => {
  await withGateway(async (world) => {
    const mine = await world.provision(serial);
    const spelled = serial.toUpperCase();
    const line = await tlsLine(world, mine.root, mine);
    assert.is(await line.login({ clientId: spelled }), 0);
    assert.equal(await line.subscribe(`$aws/things/${spelled}/epaper/receive`), [0]);
    await line.publish(`$aws/things/${spelled}/activateepaper`, '{"act": 0}');
    const answer = await line.take('publish');
    assert.is(answer.topic, `$aws/things/${spelled}/epaper/receive`);
    assert.is((await world.gateway.facts(serial))?.connected, true);
  });
});

test('wills, stored sessions and other MQTTs are refused, with one alert a minute about a proven frame (T-43, FACT-06, B-14, B-20)', async () => {
  await withGateway(async (world) => {
    const mine = await world.provision(serial);
    const will = { topic: `frames/1/${serial}/report`, payload: '{}' };
    const said = { clientId: serial };
    for (let time = 0; time < 3; time++) {
      assert.is(await (await tlsLine(world, mine.root, mine)).login({ ...said, will }), 'closed');
      assert.is(await (await tlsLine(world, mine.root, mine)).login({ ...said, clean: false }), 'closed');
      assert.is(await (await tlsLine(world, mine.root, mine)).login({ ...said, mqtt: '3.1' }), 1);
      assert.is(await (await tlsLine(world, mine.root, mine)).login({ ...said, mqtt: '5' }), 1);
    }
    assert.is((await world.gateway.facts(serial))?.connected, false);
    const problems = [
      'wills are refused',
      'stored sessions are refused',
      'speaks MQTT 3.1; this gateway speaks 3.1.1',
      'speaks MQTT 5; this gateway speaks 3.1.1',
    ];
    const [alerts, all] = [await world.events(serial, 'alert'), await world.events(serial)];
    assert.equal(
      alerts.map(({ payload }) => payload.problem),
      problems,
    );
    assert.is(all.length, alerts.length);
    assert.equal(
      world.warnings.map(({ fields }) => fields),
      problems.map((problem) => ({ frame: serial, problem })),
    );
  });
});

test('a CONNECT that says one thing and another is refused, whatever identity it proves (B-23)', async () => {
  await withGateway(async (world) => {
    const mine = await world.provision(serial, { withPassword: true });
    const field = (text: string) => [0, text.length, ...Buffer.from(text)];
    const [id, user, password] = [field(serial), field(serial), field(mine.password ?? '')];
    const answer = async (name: string, version: number, flags: number, ...payload: number[][]) => {
      const body = [...field(name), version, flags, 0, 60, ...payload.flat()];
      const line = await tlsLine(world, mine.root, mine);
      line.write(
        Buffer.from([
          0x10,
          ...(body.length < 128 ? [] : [0x80 | (body.length & 0x7f)]),
          body.length >> (body.length < 128 ? 0 : 7),
          ...body,
        ]),
      );
      const code = await line.take('connack').then(
        ({ returnCode }) => returnCode,
        () => 'closed',
      );
      line.vanish();
      return code;
    };
    assert.is(await answer('MQTT', 4, 0x02, id), 0);
    assert.is(await answer('MQTT', 4, 0xc2, id, user, password), 0);
    assert.is(await answer('MQTT', 4, 0x82, id, user), 0, 'a user name alone is no contradiction');
    const odd: readonly [why: string, ...Parameters<typeof answer>][] = [
      ['the reserved flag', 'MQTT', 4, 0x03, id],
      ['a password without a user name', 'MQTT', 4, 0x42, id, password],
      ['QoS of no will', 'MQTT', 4, 0x0a, id],
      ['retain of no will', 'MQTT', 4, 0x22, id],
      ['a will of QoS 3', 'MQTT', 4, 0x1e, id, field('t'), field('p')],
      ['the version of a bridge', 'MQTT', 0x84, 0x02, id],
      ['a version of the future', 'MQTT', 6, 0x02, id],
      ['version 0', 'MQTT', 0, 0x02, id],
      ['another name', 'mqtt', 4, 0x02, id],
      ['a longer name', 'MQTTX', 4, 0x02, id],
      ['no name', '', 4, 0x02, id],
      ['a user name that is not there', 'MQTT', 4, 0x82, id],
      ['more than is announced', 'MQTT', 4, 0x02, id, user],
      ['an announced user name and one thing more', 'MQTT', 4, 0x82, id, user, [0]],
    ];
    for (const [why, ...packet] of odd) assert.is(await answer(...packet), 'closed', why);
    // CONNACK 1 is what those learn who speak another MQTT, or mix two of them.
    for (const [name, version] of [
      ['MQTT', 3],
      ['MQIsdp', 4],
      ['MQIsdp', 3],
    ] as const) {
      assert.is(await answer(name, version, 0x02, id), 1);
    }
    const alerts = (await world.events(serial, 'alert')).map(({ payload }) => payload.problem);
    assert.equal(alerts, [
      'sends a password without a user name',
      'wills are refused',
      'connects as a bridge',
      'sends a CONNECT that is longer than its fields',
      'speaks MQTT 3.1; this gateway speaks 3.1.1',
    ]);
  });
});

test('a stranger who proves no identity fills neither log nor events with refused CONNECTs: one line an address and minute', async () => {
  await withGateway(async (world) => {
    const { root } = await world.provision(serial);
    const attempt = async (id: string) =>
      assert.is(await (await tlsLine(world, root)).login({ clientId: id, clean: false }), 'closed');
    for (const id of [serial, serial, 'epd7-000000000001', 'x'.repeat(99)]) await attempt(id);
    assert.equal(world.remarks, [
      { fields: { frame: serial, problem: 'stored sessions are refused' }, message: 'connection refused' },
    ]);
    assert.equal(await world.events(serial), []);
    world.clock.passes(60_000);
    await attempt('x'.repeat(99));
    assert.is(world.remarks.at(-1)?.fields.frame, 'x'.repeat(64));
  });
});

test('plain MQTT listens on 127.0.0.1 alone, wherever TLS listens (T-52)', async () => {
  const reaches = (host: string, port: number) =>
    new Promise<boolean>((resolve) => {
      const socket = connect({ host, port }, () => {
        resolve(true);
        socket.destroy();
      });
      socket.once('error', () => resolve(false));
    });
  await withGateway(
    async ({ ports }) => {
      assert.is(await reaches('127.0.0.2', ports.tls), true);
      assert.is(await reaches('127.0.0.1', ports.plain), true);
      for (const host of ['127.0.0.2', '::1']) assert.is(await reaches(host, ports.plain), false, host);
    },
    { host: '127.0.0.2' },
  );
});

test.run();
