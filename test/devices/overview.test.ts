import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { restoredMark, takeUpRestored } from '../../gateway/after-restore.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { changeHands } from '../../gateway/provisioning/own-frame.ts';
import { type HttpWorld, type Person, withHttp } from '../http/world.ts';

const test = suite('overview');
const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** A registered frame with a password, which slept as it should until `asleepForMs` from now. */
async function hang(world: HttpWorld, owner: Person, serial: string, asleepForMs = hourMs): Promise<string> {
  const { frames, call, db, clock } = world;
  await frames.provision(serial);
  const json = { enable: true, organization: owner.organizationId };
  const { device } = (await call('POST', `/devices/registerdevice/${serial}`, { as: owner, json })).json;
  const now = clock.now();
  await frameRegistry(db).setPassword(serial, 'secret', now);
  const contact = { last_contact_at: now, asleep_until: now + asleepForMs, rssi: -61, firmware: '1.2.0' };
  await frameRegistry(db).change(
    serial,
    { dialect: 'classic', battery_mv: 5100, activation: 'activated', ...contact },
    now,
  );
  return device.id;
}

async function offer({ db, clock, random, frames }: HttpWorld, serial: string, revision: string): Promise<string> {
  const sha256 = await frames.storePicture(Buffer.from(`file of ${revision}`));
  const picture = { serial, revision, sha256, bytes: 10, format: 'nibbles' as const, panel: 'epd7' };
  return (await db.transaction((trx) => uploadLog(trx).offer(picture as never, { now: clock.now(), random }))).id;
}

async function goes({ db, clock }: HttpWorld, id: string, ...stages: string[]): Promise<void> {
  const { serial, file_version } = (await uploadLog(db).find(id)) ?? { serial: '', file_version: 0 };
  await db('uploads')
    .where({ id })
    .update(Object.fromEntries(stages.map((stage) => [`${stage}_at`, clock.now()])));
  if (stages.includes('shown')) {
    await frameRegistry(db).change(serial, { reported_version: file_version, picture_synced: 1 }, clock.now());
  }
}

async function paperOf({ call, db, random, clock }: HttpWorld, owner: Person, deviceId: string): Promise<string> {
  const json = { deviceId, kind: 'image', organization: owner.organizationId, meta: { title: 'Roses' } };
  const { id } = (await call('POST', '/papers/', { as: owner, json })).json;
  const picture_revision = random.id();
  await db('papers').where({ id }).update({ picture_revision, image_updated_at: clock.now() });
  return `picture:${picture_revision}`;
}

// biome-ignore lint/suspicious/noExplicitAny: rows as they came
const overview = async ({ call }: HttpWorld, as: Person, query = ''): Promise<any> => {
  const answer = await call('GET', `/devices/overview${query}`, { as });
  assert.is(answer.status, 200, answer.text);
  return answer.json;
};

test('a row says what is on the glass, what is due, and how far it came, as `why` does', () =>
  withHttp(async (world) => {
    const { admin, call, clock, passes, frames, db } = world;
    const serial = 'epd7-0000000000aa';
    const id = await hang(world, admin, serial);
    const row = async () => (await overview(world, admin))[0];
    assert.equal((await row()).why, { code: 'no-paper' });
    const first = await paperOf(world, admin, id);
    const plain = await row();
    assert.equal([plain.paper.title, plain.paper.kind], ['Roses', 'image']);
    assert.equal([plain.glass, plain.due.state, plain.due.uploadId], [null, 'making', null]);
    assert.equal(plain.why, { code: 'nothing-offered' });
    assert.equal([plain.signal, plain.firmware, plain.trouble], [-61, '1.2.0', null]);
    assert.equal(plain.battery.percent, 50);
    assert.is(plain.battery.daysLeft, null, 'a battery of which nothing is stored is no guess');
    assert.equal(plain.panel.orientation, 'portrait');
    assert.is(Date.parse(plain.nextWakeAt) - Date.parse(plain.lastSeenAt), hourMs);

    passes(1000);
    const one = await offer(world, serial, first);
    assert.equal([(await row()).due.state, (await row()).due.uploadId], ['offered', one]);
    assert.is((await row()).why.code, 'not-announced');
    assert.ok((await row()).why.expectedAt);
    for (const [stage, code] of [
      ['announced', 'not-fetched'],
      ['fetched', 'not-shown'],
    ] as const) {
      passes(1000);
      await goes(world, one, stage);
      assert.equal([(await row()).due.state, (await row()).why.code], [stage, code]);
    }
    passes(1000);
    await goes(world, one, 'shown', 'confirmed');
    await frameRegistry(db).change(serial, { last_contact_at: clock.now() }, clock.now());
    await db('shown_pictures').insert({
      device_id: id,
      paper_id: (await row()).paper.id,
      revision: first,
      edition: (await db('papers').first('edition')).edition,
      attempts: 0,
      due_at: 0,
      updated_at: 0,
      turn: 1,
    });
    const proven = await row();
    assert.equal([proven.glass.uploadId, proven.glass.level, proven.glass.doubt], [one, 'confirmed', null]);
    assert.equal([proven.due, proven.why], [null, null]);
    const told = (await call('GET', `/devices/why/${id}`, { as: admin })).json;
    assert.is(told.why.code, 'nothing-offered', 'the played frames know of no evidence for it');

    const next = await offer(world, serial, 'picture:0');
    const both = await row();
    assert.equal([both.glass.uploadId, both.due.uploadId, both.why.code], [one, next, 'newer-not-offered']);
    await frameRegistry(db).change(serial, { reported_version: 0 }, clock.now());
    assert.is((await row()).glass.doubt, 'older-version');
    await frameRegistry(db).change(serial, { dialect: 'native', glass_sha256: 'ab' }, clock.now());
    assert.is((await row()).glass.doubt, 'other-digest');
    await frames.provision(serial, { status: 'online' });
    const { connected, awake, awakeUntil, status } = await row();
    assert.equal([connected, awake, awakeUntil, status], [true, true, null, 'online']);
    const contact = { dialect: 'classic', last_contact_at: clock.now(), cycle_upload: null };
    await frameRegistry(db).change(serial, contact, clock.now());
    const spoke = await row();
    assert.equal([spoke.awake, spoke.awakeUntil], [true, new Date(contact.last_contact_at + 15_000).toISOString()]);
    passes(15_001);
    const silent = await row();
    assert.equal(
      [silent.connected, silent.awake, silent.awakeUntil],
      [true, false, null],
      'its connection still stands',
    );
  }));

test('trouble is named by the worst code that holds', () =>
  withHttp(async (world) => {
    const { admin, db, clock, passes } = world;
    const serial = 'epd7-0000000000aa';
    await hang(world, admin, serial);
    const code = async () => (await overview(world, admin))[0].trouble?.code;
    const frame = (change: object) => frameRegistry(db).change(serial, change, clock.now());
    const credentials = async (expires_at: number, revoked_at: number | null) => {
      await db('frame_certificates').delete();
      await db('frame_certificates').insert({ fingerprint: 'f', serial, created_at: 1, expires_at, revoked_at });
    };
    const { last_contact_at: now } = await db('frames').first('last_contact_at');
    assert.is(await code(), undefined);
    await frame({ last_contact_at: null });
    const addedAt = async (created_at: number) => db('devices').where({ serial }).update({ created_at });
    await addedAt(clock.now() - dayMs + hourMs);
    assert.is(await code(), undefined, 'a frame that was added today is still to be hung');
    await addedAt(clock.now() - dayMs);
    assert.is(await code(), 'never-connected');
    await frame({ last_contact_at: now, password_hash: null });
    assert.is(await code(), 'credentials-revoked');
    await credentials(now + 90 * dayMs, now);
    assert.is(await code(), 'credentials-revoked');
    await credentials(now - 1, null);
    assert.is(await code(), 'credentials-expired');
    await credentials(now + 5 * dayMs, null);
    assert.is(await code(), 'credentials-ending');
    await credentials(now + 90 * dayMs, null);
    assert.is(await code(), undefined);
    await db('frame_watch').insert({ serial, excused: 0, periods: '[]', battery_level: 'low' });
    assert.is(await code(), 'battery-low');
    await frame({ activation: 'reset' });
    assert.is(await code(), 'given-up');
    await frame({ last_failure: 'torn' });
    assert.is(await code(), 'update-failed');
    passes(2 * hourMs);
    assert.is(await code(), 'silent');
    assert.is(Date.parse((await overview(world, admin))[0].trouble.since), now + hourMs);
    await frame({ battery_mv: 4100 });
    assert.is(await code(), 'battery-empty');
    await frame({ panel: 'epd13' });
    assert.is(await code(), 'wrong-panel');
    await db('frame_conflicts').insert({ serial, since: now, problem: 'two' });
    assert.equal((await overview(world, admin))[0].trouble, {
      code: 'identity-doubted',
      level: 'alarm',
      since: new Date(now).toISOString(),
    });
  }));

test('A-6, A-8, T-63: each caller sees their own devices, and nothing of a former owner', () =>
  withHttp(async (world) => {
    const { admin, user, patient, onlyself, stranger, call, db, clock, random } = world;
    const serial = 'epd7-0000000000aa';
    const id = await hang(world, admin, serial);
    const abroad = await hang(world, stranger, 'epd7-0000000000bb');
    await paperOf(world, admin, id);
    const one = await offer(world, serial, 'picture:1');
    await goes(world, one, 'announced', 'fetched', 'shown');
    const idsOf = async (as: Person, query = '') =>
      (await overview(world, as, query)).map((row: { id: string }) => row.id);
    assert.equal(await idsOf(admin), [id]);
    assert.equal(await idsOf(user, `?ids=${id},${abroad},${random.id()}`), [id]);
    assert.equal(await idsOf(stranger), [abroad]);
    for (const person of [patient, onlyself]) assert.equal(await idsOf(person), []);
    for (const [person, title] of [
      [patient, 'Roses'],
      [onlyself, null],
    ] as const) {
      await db('devices').where({ id }).update({ patient: person.userId });
      assert.is((await overview(world, person))[0].paper.title, title);
    }
    assert.is(
      (await call('GET', `/devices/overview?organization=${admin.organizationId}`, { as: stranger })).status,
      404,
    );
    assert.is((await call('GET', '/devices/overview')).status, 401);
    const many = Array.from({ length: 101 }, () => random.id()).join(',');
    for (const wrong of ['ids=x', `ids=${many}`, 'after=x', 'limit=0', 'ids=']) {
      assert.is((await call('GET', `/devices/overview?${wrong}`, { as: admin })).status, 400, wrong);
    }
    await db('devices').where({ id: abroad }).delete();
    await db('devices').where({ id }).update({ organization_id: stranger.organizationId, patient: null });
    await changeHands(db, serial, { now: clock.now(), random });
    assert.equal(await idsOf(admin), []);
    const [moved] = await overview(world, stranger);
    assert.equal([moved.id, moved.glass, moved.paper], [id, null, null]);
  }));

test('T-21: ten thousand rows come page by page or as one list, with a few queries for each five hundred', () =>
  withHttp(async (world) => {
    const { admin, db, clock } = world;
    const now = clock.now();
    const count = 10_000;
    const [devices, frames, uploads, days]: Record<string, unknown>[][] = [[], [], [], []];
    for (let number = 0; number < count; number++) {
      const serial = `epd7-${number}`;
      const id = `d${number.toString(16).padStart(23, '0')}`;
      const times = { created_at: now, updated_at: now };
      const meta = { meta: '{}', details: '{}', assignment: 1 };
      devices?.push({
        id,
        organization_id: admin.organizationId,
        serial,
        kind: 'epd7',
        name: serial,
        ...meta,
        ...times,
      });
      const contact = { last_contact_at: now, asleep_until: now + hourMs, battery_mv: 5000, password_hash: 'x' };
      const versions = { reported_version: 1, announced_version: 1, sleep_seconds: 3600, activation: 'activated' };
      frames?.push({ serial, spelling: serial, kind: 'epd7', ...contact, ...versions, ...times });
      const upload = { serial, revision: 'picture:1', picture_sha256: 'x', picture_bytes: 1, file_version: 1 };
      const stages = { offered_at: now, announced_at: now, fetched_at: now, shown_at: now };
      uploads?.push({ id, path: `/f/${number}`, previous_version: 0, gets: 1, ...upload, ...stages });
      for (let day = 0; day < 3; day++) {
        const sample = { samples: 1, min_mv: 5000, sum_mv: 5000 - 100 * day };
        days?.push({ serial, day: Math.floor(now / dayMs) - 2 + day, ...sample });
      }
    }
    await db.transaction(async (trx) => {
      await trx.batchInsert('frames', frames as never, 500);
      await trx.batchInsert('devices', devices as never, 500);
      await trx.batchInsert('uploads', uploads as never, 500);
      await trx.batchInsert('battery_days', days as never, 500);
    });
    let asked = 0;
    db.on('query', () => asked++);
    const all = await overview(world, admin);
    assert.is(all.length, count);
    assert.ok(asked <= 110, `${asked} queries`);
    await overview(world, admin);
    assert.equal([all[9999].glass.level, all[9999].battery.daysLeft], ['reported shown', 6]);
    const page = await overview(world, admin, `?limit=3&after=${all[4999].id}`);
    assert.equal(
      page.map(({ id }: { id: string }) => id),
      all.slice(5000, 5003).map(({ id }: { id: string }) => id),
    );
    assert.equal(await overview(world, admin, `?after=${all[9999].id}`), []);
  }));

test('INV-91: after a restore no glass is shown as proven until its frame reports again', () =>
  withHttp(async (world) => {
    const { admin, clock, passes, db, random, call } = world;
    const serial = 'epd7-0000000000aa';
    const id = await hang(world, admin, serial);
    const offered = await offer(world, serial, await paperOf(world, admin, id));
    for (const stages of [['announced'], ['fetched'], ['shown', 'confirmed']]) {
      passes(1000);
      await goes(world, offered, ...stages);
    }
    const row = async () => (await overview(world, admin))[0];
    assert.equal([(await row()).glass.level, (await row()).glass.doubt], ['confirmed', null]);
    await db.raw(restoredMark, ['now']);
    assert.ok(await takeUpRestored(db, { random, now: clock.now() }));
    const restored = await row();
    assert.equal([restored.glass.level, restored.glass.doubt], ['confirmed', 'before-restore']);
    assert.equal([restored.due.uploadId, restored.due.state], [offered, 'offered']);
    await frameRegistry(db).change(serial, { picture_synced: 0, reported_version: 2 ** 30 }, clock.now());
    assert.is((await row()).glass.doubt, 'before-restore', 'a wake that reports something else proves nothing of it');
    const { deviceStatus } = (await call('GET', `/devices/${id}`, { as: admin })).json;
    assert.is(deviceStatus.pictureSynced, false);
    for (const stages of [['announced'], ['fetched'], ['shown', 'confirmed']]) {
      passes(1000);
      await goes(world, offered, ...stages);
    }
    const proven = (await row()).glass;
    assert.equal([proven.uploadId, proven.doubt], [offered, null]);
  }));

test('a row says where its frame hangs, and nothing where that is unknown or written by other programs as they please', () =>
  withHttp(async (world) => {
    const { admin, call, db } = world;
    const id = await hang(world, admin, 'epd7-1');
    assert.is((await overview(world, admin))[0].place, null);
    await call('POST', `/devices/${id}`, { as: admin, json: { meta: { place: { building: 'Main', room: ' ' } } } });
    assert.equal((await overview(world, admin))[0].place, { building: 'Main', floor: null, room: null });
    for (const place of ['the hall', { room: 7 }, ['Main']]) {
      await db('devices')
        .where({ id })
        .update({ meta: JSON.stringify({ place }) });
      assert.is((await overview(world, admin))[0].place, null);
    }
  }));

test('OF-13: the answer to why a frame is silent says what that means of its firmware', () =>
  withHttp(async (world) => {
    const owner = world.admin;
    const id = await hang(world, owner, 'epd7-0000000000aa');
    const remark = async (facts: { status: 'online' | 'offline'; dialect: string }) => {
      await world.frames.provision('epd7-0000000000aa', facts);
      return (await world.call('GET', `/devices/why/${id}`, { as: owner })).json.remark;
    };
    assert.match(await remark({ status: 'offline', dialect: 'offline' }), /^Charge it: below 4\.0 volts/);
    assert.is(await remark({ status: 'online', dialect: 'offline' }), null);
    assert.is(await remark({ status: 'offline', dialect: 'classic' }), null);
  }));

test('OF-13: the trouble of a silent frame names the next step that its firmware asks for', () =>
  withHttp(async (world) => {
    const { admin, db, clock, passes } = world;
    const serial = 'epd7-0000000000aa';
    await hang(world, admin, serial);
    const trouble = async (dialect: string) => {
      await frameRegistry(db).change(serial, { dialect }, clock.now());
      return (await overview(world, admin))[0].trouble;
    };
    const until = clock.now() + hourMs;
    await frameRegistry(db).change(serial, { last_contact_at: clock.now(), asleep_until: until }, clock.now());
    passes(2 * hourMs);
    const { code, remedy, remedies } = await trouble('offline');
    assert.is(code, 'silent');
    assert.match(remedy, /^Charge it: below 4\.0 volts/);
    assert.is(remedies[0].code, 'remedy-offline-silence');
    const other = await trouble('classic');
    assert.equal([other.code, other.remedy], ['silent', undefined]);
  }));

test.run();
