/** Credentials that end: refused with their reason, logged once a minute, and outlived by no session. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recheckMs } from '../../gateway/broker/session.ts';
import { provisionFrame, renewFrame } from '../../gateway/provisioning/provision-frame.ts';
import { systemRandom } from '../../runtime/random.ts';
import { openLine } from './mqtt-line.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('credentials');
const serial = 'epd7-b0c1d2e3f405';
const day = 86_400_000;
const refused = 5;

type Certificate = { readonly root: string; readonly certificate: string; readonly key: string };

async function loginCode(world: GatewayWorld, credential: Certificate, clientId = serial) {
  const line = await openLine({ port: world.ports.tls, root: credential.root, credential });
  const code = await line.login({ clientId });
  line.vanish();
  return code;
}

/** The problems of a frame's alerts, once there are as many as expected. */
async function problems(world: GatewayWorld, count: number): Promise<unknown[]> {
  await until(async () => (await world.events(serial, 'alert')).length >= count, `${count} alerts`);
  return (await world.events(serial, 'alert')).map(({ payload }) => payload.problem);
}

test('a simulated frame has one certificate however often it was started, and the earlier ones open nothing', async () => {
  await withGateway(async (world) => {
    const deps = { ...world, random: systemRandom(world.clock) };
    const first = await provisionFrame(deps, { serial, replaces: true });
    assert.is(await loginCode(world, first), 0);
    let last = first;
    for (let start = 0; start < 3; start++) last = await provisionFrame(deps, { serial, replaces: true });
    assert.is((await world.db('frame_certificates').where({ serial })).length, 1);
    assert.equal([await loginCode(world, first), await loginCode(world, last)], [refused, 0]);
    await world.provision(serial);
    assert.is((await world.db('frame_certificates').where({ serial })).length, 2, 'a frame on a wall keeps its own');
    assert.is(await loginCode(world, last), 0);
  });
});

test('an expired certificate is refused, and the frame’s events say why', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    assert.is(await loginCode(world, credential), 0);
    world.clock.passes(3650 * day + 1);
    assert.is(await loginCode(world, credential), refused);
    assert.equal(await problems(world, 1), ['login refused: certificate has expired']);
  });
});

test('a certificate that ended by every clock is refused with the same reason', async () => {
  await withGateway(async (world) => {
    await world.provision('epd7-000000000001');
    world.clock.passes(-3651 * day);
    const old = await world.provision(serial);
    world.clock.passes(3651 * day);
    assert.is(await loginCode(world, old), refused);
    assert.equal(await problems(world, 1), ['login refused: certificate has expired']);
  });
});

test('a renewed frame keeps its earlier certificate for the overlap, with it also its session, and no longer', async () => {
  await withGateway(async (world) => {
    const deps = { db: world.db, clock: world.clock, random: systemRandom(world.clock), dataFolder: world.dataFolder };
    const first = await world.provision(serial);
    const second = await renewFrame(deps, { serial: serial.toUpperCase(), overlapMs: 30 * day });
    assert.equal([second.serial, second.root, second.password], [serial, first.root, undefined]);
    assert.ok(Math.abs((second.earlierEndAt ?? 0) - world.clock.now() - 30 * day) < 60_000);
    for (const credential of [first, second]) assert.is(await loginCode(world, credential), 0);
    world.clock.passes(29 * day);
    assert.is(await loginCode(world, first), 0);
    const line = await openLine({ port: world.ports.tls, root: first.root, credential: first });
    await line.login({ clientId: serial });
    world.clock.passes(day);
    await line.publish(`frames/1/${serial}/log`, '{"level":"info","message":"still here"}', { qos: 1 });
    await line.ended();
    assert.is(await loginCode(world, first), refused);
    assert.is(await loginCode(world, second), 0);
    assert.equal(await world.events(serial, 'log'), []);
    assert.equal(await problems(world, 1), ['login refused: certificate has expired']);
  });
});

test('a renewal without overlap ends what was there at once', async () => {
  await withGateway(async (world) => {
    const deps = { db: world.db, clock: world.clock, random: systemRandom(world.clock), dataFolder: world.dataFolder };
    const first = await world.provision(serial);
    const second = await renewFrame(deps, { serial, overlapMs: 0 });
    assert.is(second.earlierEndAt, undefined);
    assert.is(await loginCode(world, first), refused);
    assert.is(await loginCode(world, second), 0);
  });
});

test('T-42: refused logins with a known frame’s certificate leave one alert a minute with that frame, whatever id they claim', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    const other = await world.provision('epd7-000000000001');
    for (let time = 0; time < 3; time++) assert.is(await loginCode(world, credential, other.serial), refused);
    assert.equal(await problems(world, 1), [`login refused: certificate used under the id ${other.serial}`]);
    await world.revoke(serial);
    for (let time = 0; time < 3; time++) assert.is(await loginCode(world, credential), refused);
    world.clock.passes(60_000);
    for (let time = 0; time < 3; time++) assert.is(await loginCode(world, credential), refused);
    assert.is((await problems(world, 2)).length, 2);
    assert.is((await problems(world, 2))[1], 'login refused: certificate revoked');
    assert.equal(await world.events(other.serial, 'alert'), [], 'the frame whose id was claimed did nothing');
  });
});

test('a new password ends the sessions that were opened with the old one, and no others', async () => {
  await withGateway(async (world) => {
    const old = await world.provision(serial, { withPassword: true });
    const plain = { port: world.ports.plain };
    const login = (password = '') => ({ clientId: serial, username: serial, password });
    const line = await openLine(plain);
    assert.is(await line.login(login(old.password)), 0);
    const say = (over: typeof line) => over.publish(`frames/1/${serial}/bye`, '{"sleepSeconds":60}', { qos: 1 });
    assert.is(await say(line), true);
    await world.provision(serial);
    assert.is(await say(line), true, 'a new certificate leaves the password alone');
    const fresh = await world.provision(serial, { withPassword: true });
    world.clock.passes(recheckMs);
    assert.is(await say(line), false);
    await line.ended();
    assert.is(await (await openLine(plain)).login(login(old.password)), refused);
    const next = await openLine(plain);
    assert.is(await next.login(login(fresh.password)), 0);
    assert.is(await say(next), true);
  });
});

test.run();
