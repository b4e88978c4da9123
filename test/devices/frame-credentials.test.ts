/** Credentials over HTTP: who may have which made, what is shown once, and that they end with the ownership. */
import { X509Certificate } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { type Answer, type HttpWorld, type Person, withHttp } from '../http/world.ts';

const test = suite('credentials of frames over HTTP');
const serial = 'epd7-0000000000cc';
const dayMs = 86_400_000;

function provision(world: HttpWorld, as: Person, one = serial, more: object = {}): Promise<Answer> {
  const json = { organization: as.organizationId, ...more };
  return world.call('POST', `/devices/provision/${one}`, { as, json });
}

/**
 * Returns which of the certificates open the frame, by the gateway's own check: unknown and revoked ones open nothing.
 */
async function opened({ db }: HttpWorld, pem: string): Promise<string | undefined> {
  const fingerprint = new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();
  const issued = await frameRegistry(db).certificate(fingerprint);
  return issued?.revoked_at === null ? issued.serial : undefined;
}

test('an admin makes a new board a frame, and its credentials are shown once', () =>
  withHttp(async (world) => {
    const { admin, user, call, db } = world;
    assert.is((await provision(world, user)).status, 403);
    const { status, json, headers } = await provision(world, admin, serial, { password: true });
    assert.is(status, 201);
    assert.match(String(headers['cache-control']), /no-store/);
    const { device, credentials } = json;
    assert.equal([device.deviceId, device.kind, device.organization], [serial, 'epd7', admin.organizationId]);
    assert.ok(new X509Certificate(credentials.certificate).checkIssued(new X509Certificate(credentials.ca)));
    assert.match(credentials.key, /PRIVATE KEY/);
    assert.is(await opened(world, credentials.certificate), serial);
    assert.ok(await frameRegistry(db).matchingPassword(serial, credentials.password));
    const known = await call('GET', `/devices/${device.id}/credentials`, { as: user });
    assert.equal([known.json.certificates.length, known.json.hasPassword], [1, true]);
    assert.is(known.json.certificates[0].madeBy, 'owner');
    assert.not.match(known.text, /PRIVATE KEY|BEGIN/);
    assert.not.ok(known.text.includes(credentials.password));
  }));

test('a serial that tells no kind needs one, and an invalid one is refused', () =>
  withHttp(async (world) => {
    const { admin } = world;
    const kindless = await provision(world, admin, 'my-board-1');
    assert.is(kindless.status, 400);
    assert.match(kindless.json.hint, /bw7/);
    assert.is((await provision(world, admin, 'my-board-1', { kind: 'nothing' })).status, 400);
    const told = await provision(world, admin, 'my-board-1', { kind: 'bw7' });
    assert.equal([told.status, told.json.device.kind], [201, 'bw7']);
    assert.is((await provision(world, admin, 'a%2Fb')).status, 400);
  }));

test('a serial that somebody has, or that has credentials, is not given to anybody again', () =>
  withHttp(async (world) => {
    const { admin, stranger, db, clock, random, dataFolder } = world;
    await provision(world, admin);
    const taken = await provision(world, stranger, serial.toUpperCase());
    assert.equal([taken.status, taken.json.code], [409, 'frame-taken']);
    const own = await provision(world, admin);
    assert.equal([own.status, own.json.code], [409, 'conflict']);
    assert.match(own.json.hint, /credentials/);
    const other = 'epd7-0000000000dd';
    await provisionFrame({ db, clock, random, dataFolder }, { serial: other });
    const held = await provision(world, stranger, other);
    assert.equal([held.status, held.json.code], [409, 'conflict']);
    assert.match(held.json.hint, /registerdevice/);
    assert.is((await db('devices').where({ serial: other })).length, 0);
  }));

test('two organizations that provision a serial at once do not both get it', () =>
  withHttp(async (world) => {
    const { admin, stranger, db } = world;
    const answers = await Promise.all([provision(world, admin), provision(world, stranger)]);
    assert.equal(answers.map(({ status }) => status).sort(), [201, 409]);
    assert.is((await db('frame_certificates').where({ serial })).length, 1);
  }));

test('credentials that an owner had made end when the frame is released; the operator’s stay', () =>
  withHttp(async (world) => {
    const { admin, stranger, call, db, clock, random, dataFolder } = world;
    const first = (await provision(world, admin, serial, { password: true })).json;
    const operators = await provisionFrame({ db, clock, random, dataFolder }, { serial });
    assert.is((await call('DELETE', `/devices/${first.device.id}`, { as: admin })).status, 200);
    assert.is(await opened(world, first.credentials.certificate), undefined);
    assert.not.ok(await frameRegistry(db).matchingPassword(serial, first.credentials.password));
    assert.is(await opened(world, operators.certificate), serial);
    const json = { enable: true, organization: stranger.organizationId };
    assert.is((await call('POST', `/devices/registerdevice/${serial}`, { as: stranger, json })).status, 200);
    assert.is((await call('GET', `/devices/${first.device.id}/credentials`, { as: admin })).status, 404);
  }));

test('renewing ends earlier certificates after the overlap, another board’s leave them, revoking ends all', () =>
  withHttp(async (world) => {
    const { admin, user, stranger, call, clock } = world;
    const { device, credentials } = (await provision(world, admin)).json;
    const path = `/devices/${device.id}/credentials`;
    const anew = await call('POST', path, { as: user, json: {} });
    assert.equal([anew.status, anew.json.password], [201, null]);
    assert.is(await opened(world, credentials.certificate), serial);
    const renewed = await call('POST', `${path}/renew`, { as: user, json: { overlapDays: 7 } });
    assert.is(renewed.status, 201);
    const overlap = Date.parse(renewed.json.earlierEndAt) - clock.now();
    assert.ok(Math.abs(overlap - 7 * dayMs) < 60_000, `${overlap}`);
    const states = async () =>
      (await call('GET', path, { as: user })).json.certificates.map(({ state }: { state: string }) => state);
    assert.equal(await states(), ['valid', 'valid', 'valid']);
    world.passes(8 * dayMs);
    assert.equal((await states()).sort(), ['ended', 'ended', 'valid']);
    for (const overlapDays of [-1, 3651, 1.5, 'x']) {
      assert.is((await call('POST', `${path}/renew`, { as: user, json: { overlapDays } })).status, 400);
    }
    assert.is((await call('DELETE', path, { as: stranger })).status, 404);
    assert.equal((await call('DELETE', path, { as: user })).json, { revoked: 3 });
    assert.is(await opened(world, renewed.json.certificate), undefined);
  }));

test('a device without a frame has no credentials, and says what to do', () =>
  withHttp(async (world) => {
    const { admin, call } = world;
    const json = { organization: admin.organizationId };
    const { id } = (await call('POST', '/devices', { as: admin, json })).json;
    const calls = [
      ['GET', ''],
      ['POST', ''],
      ['POST', '/renew'],
      ['DELETE', ''],
    ] as const;
    for (const [method, end] of calls) {
      const options = { as: admin, ...(method === 'POST' && { json: {} }) };
      const answer = await call(method, `/devices/${id}/credentials${end}`, options);
      assert.equal([answer.status, answer.json.code], [409, 'conflict'], `${method} ${end}`);
      assert.match(answer.json.hint, /provision/);
    }
  }));

test.run();
