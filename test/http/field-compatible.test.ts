/** The surface under /v1, called as clients in the field call it. */
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { changeHands } from '../../gateway/provisioning/own-frame.ts';
import { fetched, photo, pixels } from '../papers/images-world.ts';
import { type HttpWorld, type Person, withHttp } from './world.ts';

const test = suite('field-compatible surface');

const upload = (pictures: readonly Buffer[], fields: Readonly<Record<string, string>> = {}): FormData => {
  const form = new FormData();
  for (const bytes of pictures) form.append('picture', new Blob([new Uint8Array(bytes)]), 'image.jpg');
  for (const [name, value] of Object.entries({ job_id: '7', ...fields })) form.append(name, value);
  return form;
};

/** A registered frame of the admin's organization. */
async function hang({ call, frames, admin }: HttpWorld, serial = 'epd7-0a0b0c0d0e0f', kind?: string): Promise<string> {
  await frames.provision(serial, kind === undefined ? {} : { kind });
  const json = { enable: true, organization: admin.organizationId };
  const answer = await call('POST', `/v1/devices/registerdevice/${serial}`, { as: admin, json });
  assert.is(answer.json.activation_status, 'success');
  return answer.json.createdDevice.id;
}

test('one poll and one upload of the home automation: every answer has what it reads (C-15 to C-28, C-43)', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const id = await hang(world);
    const organizations = (await call('GET', '/v1/organizations/', { as: admin })).json;
    assert.equal([organizations.page, organizations.totalPages, organizations.totalResults], [1, 1, 1]);
    assert.is(organizations.results[0].id, admin.organizationId);
    const devices = (await call('GET', `/v1/devices/?organization=${admin.organizationId}`, { as: admin })).json;
    assert.equal([devices.results.length, devices.results[0].id, devices.results[0].paper], [1, id, null]);
    assert.type(devices.results[0].meta, 'object');
    const pinged = (await call('GET', `/v1/devices/ping/${id}`, { as: admin })).json;
    assert.type(pinged.ping.success, 'boolean');
    assert.type(pinged.success, 'boolean');
    for (const part of ['iotDevice', 'deviceStatus', 'meta']) assert.ok(pinged.device[part], part);

    // The way it creates a paper: an empty text for meta, and an organization that is not looked at (C-09, C-43).
    const json = { deviceId: id, kind: 'image', organization: 'f'.repeat(24), meta: '' };
    const first = (await call('POST', '/v1/papers', { as: admin, json })).json;
    assert.is(first.organization, admin.organizationId);
    const second = (await call('POST', '/v1/papers/', { as: admin, json })).json;
    const shownNow = async () => (await call('GET', `/v1/devices/${id}`, { as: admin })).json.paper;
    assert.is(await shownNow(), second.id, 'created is selected');
    assert.not('hint' in second || 'deviceShows' in second, 'nothing is to be done for it');
    const answer = await call('POST', `/v1/papers/uploadSingleImage/${first.id}`, {
      as: admin,
      body: upload([await photo(480, 800), await photo(900, 600)]),
    });
    assert.is(answer.status, 200);
    assert.match(String(answer.headers['content-type']), /^application\/json/);
    assert.is(answer.json.id, first.id);
    const { skippedUpload, similarityPercentage, reason, uploadAttemptId } = answer.json;
    assert.equal([skippedUpload, similarityPercentage, reason], [false, null, 'device-frame-uploaded'], 'C-28, C-54');
    assert.type(uploadAttemptId, 'string');
    assert.is(await shownNow(), first.id, 'uploaded is selected');
    const image = (kind: object) => call('POST', `/v1/papers/image/${first.id}`, { as: admin, json: kind });
    const { json: address } = await image({ kind: 'original.png' });
    assert.equal(Object.keys(address), ['signedUrl', 'expiresAt'], 'C-56');
    assert.is((await pixels((await fetched(address.signedUrl)).bytes)).size, '900x600', 'the second is the original');
    assert.is((await image({ kind: 'editable.json', return: 'json' })).status, 404);
    const canvas = upload([await photo(80, 48)], { pictureEditable: '[{"type":"text"}]' });
    const next = await call('POST', `/v1/papers/uploadSingleImage/${first.id}`, { as: admin, body: canvas });
    assert.equal((await image({ kind: 'editable.json', return: 'json' })).json, [{ type: 'text' }], 'the JSON itself');
    const { results: log } = (await call('GET', `/v1/devices/upload-logs/${id}?limit=5`, { as: admin })).json;
    assert.equal(
      log.map(({ attemptId, status, stages }: Record<string, unknown>) => [attemptId, status, stages]),
      [next.json.uploadAttemptId, uploadAttemptId].map((attempt) => [attempt, 'started', []]),
      'C-55: nothing was offered to the frame yet',
    );
    const papers = (await call('GET', `/v1/papers/?deviceId=${id}`, { as: admin })).json;
    assert.equal(papers.results.map(({ id }: { id: string }) => id).sort(), [first.id, second.id].sort());

    for (const name of ['reset', 'reboot']) {
      const asked = (await call('POST', `/v1/devices/${name}/${id}/`, { as: admin })).json;
      assert.equal([typeof asked.success, asked[name].success, asked.device.id], ['boolean', asked.success, id]);
      assert.is(asked[name].message, asked.message);
    }
    const events = (await call('GET', `/v1/devices/events/${id}`, { as: admin })).json;
    assert.is(events.device.id, id);
    assert.ok(Array.isArray(events.message));
  }));

test('C-24: what was offered and is not shown is pending on both surfaces; a frame that was offered nothing has an answer too', () =>
  withHttp(async (world) => {
    const { call, admin, frames } = world;
    const id = await hang(world);
    for (const [said, updatePending, shown] of [
      [null, false, [false, 'update_ok']],
      [null, true, [false, 'update_pending']],
      [true, false, [true, 'update_ok']],
      [true, true, [false, 'update_pending']],
      [false, false, [false, 'update_ok']],
      [false, true, [false, 'update_pending']],
    ] as const) {
      await frames.provision('epd7-0a0b0c0d0e0f', { pictureSynced: said, updatePending });
      const { json: plain } = await call('GET', `/devices/${id}`, { as: admin });
      const { json: fielded } = await call('GET', `/v1/devices/${id}`, { as: admin });
      const { device: pinged } = (await call('GET', `/v1/devices/ping/${id}`, { as: admin })).json;
      for (const { deviceStatus, shadow } of [plain, fielded, pinged]) {
        assert.equal([deviceStatus.pictureSynced, deviceStatus.updatePending], shown);
        assert.is(shadow.reported.pictureSynced, said, 'its own word stays');
      }
    }
  }));

test('the charge of one lithium cell is returned as the voltage that clients make a percentage of, and that of four cells as it is', () =>
  withHttp(async (world) => {
    const { call, admin, frames } = world;
    /** Converts millivolts as the integration for Home Assistant does (djiwondee/paperlesspaper-ha, `sensor.py`). */
    const percentOf = (batLevel: string): number =>
      Math.max(0, Math.min(100, Math.round(((Number(batLevel) / 1000 - 4.4) / 1.6) * 100)));
    const polled = await hang(world, 'trmnl-0a0b0c0d0e0f', 'trmnl4');
    for (const [batteryMv, percent] of [
      [4150, 100],
      [3725, 50],
      [3300, 0],
      [4050, 88],
    ] as const) {
      await frames.provision('trmnl-0a0b0c0d0e0f', { batteryMv, kind: 'trmnl4' });
      const { device } = (await call('GET', `/v1/devices/ping/${polled}`, { as: admin })).json;
      const { json: read } = await call('GET', `/v1/devices/${polled}`, { as: admin });
      for (const { deviceStatus } of [device, read]) assert.is(percentOf(deviceStatus.batLevel), percent);
      const { json: own } = await call('GET', `/devices/${polled}`, { as: admin });
      assert.is(own.deviceStatus.batLevel, String(batteryMv), 'the plain surface tells what was measured');
    }
    const wired = await hang(world);
    await frames.provision('epd7-0a0b0c0d0e0f', { batteryMv: 5480 });
    const { json } = await call('GET', `/v1/devices/${wired}`, { as: admin });
    assert.is(json.deviceStatus.batLevel, '5480');
  }));

test('records are changed with either method; what is not given stays (section 6)', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const id = await hang(world);
    for (const [method, name] of [
      ['PATCH', 'Hall'],
      ['POST', 'Stairs'],
    ] as const) {
      const changed = await call(method, `/v1/devices/${id}`, { as: admin, json: { meta: { name } } });
      assert.equal([changed.status, changed.json.name], [200, name]);
    }
    const json = { deviceId: id, kind: 'image', organization: admin.organizationId, meta: { name: 'One', old: true } };
    const paper = (await call('POST', '/v1/papers', { as: admin, json })).json;
    for (const method of ['PATCH', 'POST']) {
      const changed = await call(method, `/v1/papers/${paper.id}`, { as: admin, json: { meta: { name: method } } });
      assert.equal([changed.status, changed.json.kind, changed.json.meta], [200, 'image', { name: method }], 'C-46');
    }
  }));

test('a registration that is asked for again is returned and not undone', () =>
  withHttp(async (world) => {
    const { call, admin, stranger } = world;
    const id = await hang(world);
    const ask = (as: Person) =>
      call('POST', '/v1/devices/registerdevice/epd7-0a0b0c0d0e0f', {
        as,
        json: { enable: false, organization: as.organizationId },
      });
    const again = (await ask(admin)).json;
    assert.equal([again.activation_status, again.createdDevice.id], ['success', id]);
    assert.is((await ask(stranger)).json.activation_status, 'pending');
    assert.is((await call('GET', `/v1/devices/${id}`, { as: admin })).status, 200);
  }));

test('C-35: a frame that is registered already is 409 with its device, shown only to those who may register', () =>
  withHttp(async (world) => {
    const { call, admin, user, onlyself, stranger, db } = world;
    const id = await hang(world);
    const before = await db('devices').where({ id }).first();
    const ask = (as: Person, organization = as.organizationId) =>
      call('POST', '/v1/devices/registerdevice/EPD7-0a0b0c0d0e0f', { as, json: { enable: true, organization } });
    for (const as of [admin, user]) {
      const { status, json } = await ask(as);
      assert.equal([status, json.code, typeof json.message, json.device.id], [409, 409, 'string', id]);
    }
    assert.equal(await db('devices').where({ id }).first(), before, 'nothing was changed');
    await db('devices').where({ id }).update({ patient: onlyself.userId });
    const [seen, foreign, other] = [
      await ask(onlyself),
      await ask(stranger),
      await ask(stranger, admin.organizationId),
    ];
    assert.equal([seen.status, foreign.status, other.status], [403, 404, 404]);
    for (const { json } of [seen, foreign, other]) assert.is(json.device, undefined);
    const json = { enable: true, organization: admin.organizationId };
    const plain = await call('POST', '/devices/registerdevice/epd7-0a0b0c0d0e0f', { as: admin, json });
    assert.equal([plain.status, plain.json.activation_status], [200, 'success'], 'the base URL');
  }));

test('lists count everything, whatever page is shown', () =>
  withHttp(async ({ call, admin }) => {
    for (let made = 0; made < 5; made++) {
      await call('POST', '/v1/devices', { as: admin, json: { organization: admin.organizationId } });
    }
    const { results, page, limit, totalPages, totalResults } = (
      await call('GET', '/v1/devices?limit=2&page=2&_return=x', { as: admin })
    ).json;
    assert.equal([results.length, page, limit, totalPages, totalResults], [2, 2, 2, 3, 5]);
    const users = (await call('GET', `/v1/users?organization=${admin.organizationId}`, { as: admin })).json;
    assert.is(users.totalResults, 4);
    const one = (await call('GET', `/v1/users/${admin.userId}`, { as: admin })).json;
    assert.equal([one.id, one.name], [admin.userId, 'Ada']);
    assert.is((await call('GET', `/v1/users/${'a'.repeat(24)}`, { as: admin })).status, 404);
  }));

test('errors have the shape and the statuses that clients know (C-31 to C-33)', () =>
  withHttp(async (world) => {
    const { call, admin, stranger } = world;
    const id = await hang(world);
    const big = {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ meta: 'x'.repeat(300_000) }),
    };
    const calls: [number, Promise<{ status: number; json: Record<string, unknown> }>][] = [
      [401, call('GET', '/v1/organizations', { headers: { 'x-api-key': 'f'.repeat(64) } })],
      [404, call('GET', '/v1/nothing', { as: admin })],
      [404, call('GET', `/v1/devices/${id}`, { as: stranger })],
      [400, call('GET', '/v1/devices/17', { as: admin })],
      [400, call('DELETE', '/v1/papers', { as: admin })],
      [400, call('POST', `/v1/devices/${id}`, { as: admin, ...big })],
      [400, call('POST', `/v1/devices/${id}`, { as: admin, body: 'a=b', headers: { 'content-type': 'text/plain' } })],
      [
        400,
        call('POST', `/v1/devices/${id}`, { as: admin, body: 'a=b', headers: { 'content-type': 'application/json' } }),
      ],
    ];
    for (const [at, [status, answering]] of calls.entries()) {
      const answer = await answering;
      assert.equal(
        [answer.status, answer.json.code, typeof answer.json.message],
        [status, status, 'string'],
        String(at),
      );
      assert.equal(Object.keys(answer.json).sort(), ['code', 'message', 'raw']);
    }
    const plain = await call('GET', '/nothing', { as: admin });
    assert.is(plain.json.code, 'not-found', 'the base URL keeps its own shape');
    const spec = await call('GET', '/v1/integration-papers/nothing', { as: admin });
    assert.is(spec.json.code, 'not-found', 'and so does the integration API');
  }));

test('keys: listed in an envelope, their value shown once (C-38, C-39)', () =>
  withHttp(async ({ call, admin }) => {
    const made = (await call('POST', '/v1/tokens', { as: admin, json: { name: 'kitchen' } })).json;
    assert.match(made.raw, /^[0-9a-f]{64}$/);
    const { results } = (await call('GET', '/v1/tokens', { as: admin })).json;
    assert.ok(results.some(({ id }: { id: string }) => id === made.id));
    assert.not.ok(JSON.stringify(results).includes(made.raw));
    assert.is((await call('GET', '/v1/devices', { headers: { 'x-api-key': made.raw } })).status, 200);
  }));

test('the upload log: the newest first, with the stages of each, and nothing from before the frame was theirs (C-55, T-63)', () =>
  withHttp(async (world) => {
    const { call, admin, db, clock, random } = world;
    const id = await hang(world);
    const { serialNumber } = (await call('GET', `/devices/${id}`, { as: admin })).json;
    const file = { serial: serialNumber, sha256: 'a'.repeat(64), bytes: 9, format: 'nibble', panel: 'epd7' } as const;
    const offer = (revision: string, at: number) => uploadLog(db).offer({ ...file, revision }, { now: at, random });
    await offer('before', clock.now() - 3_600_000);
    await changeHands(db, serialNumber, { now: clock.now(), random });
    const first = await offer('one', clock.now());
    await uploadLog(db).announced(first.id, clock.now(), true);
    await uploadLog(db).failed(first.id, clock.now(), 'the panel is busy');
    const second = await offer('two', clock.now() + 1_000);
    const { results } = (await call('GET', `/v1/devices/upload-logs/${id}`, { as: admin })).json;
    assert.equal(
      results.map(({ attemptId, status }: Record<string, unknown>) => [attemptId, status]),
      [
        [second.id, 'uploaded'],
        [first.id, 'failed'],
      ],
    );
    assert.is(results[1].reason, 'iot-upload-failed', 'C-54');
    assert.is(results[1].failures[0].message, 'the panel is busy');
    assert.equal(
      results[1].stages.map(({ stage }: { stage: string }) => stage),
      ['offered', 'announced', 'failed', 'replaced'],
    );
    assert.is((await call('GET', `/v1/devices/upload-logs/${id}?limit=101`, { as: admin })).status, 400);
  }));

test.run();
