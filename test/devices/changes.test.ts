import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EventStage, recordFrameEvent } from '../../gateway/frames/event-log.ts';
import { changeHands } from '../../gateway/provisioning/own-frame.ts';
import { type HttpWorld, type Person, withHttp } from '../http/world.ts';

const test = suite('changes');

const minuteMs = 60_000;

async function hang({ frames, call }: HttpWorld, owner: Person, serial: string, name: string): Promise<string> {
  frames.provision(serial);
  const json = { enable: true, organization: owner.organizationId };
  const { device } = (await call('POST', `/devices/registerdevice/${serial}`, { as: owner, json })).json;
  await call('POST', `/devices/${device.id}`, { as: owner, json: { meta: { name } } });
  return device.id;
}

const happens = ({ db, random, clock }: HttpWorld, serial: string, stage: EventStage) =>
  recordFrameEvent(db, random, { serial, type: 'picture', at: clock.now(), payload: { stage } });

/** A delivery of pushed content that came to a state just now, with all that it hangs on. */
async function delivers(world: HttpWorld, owner: Person, deviceId: string, state: string): Promise<string> {
  const { db, random, clock, call } = world;
  const json = { deviceId, kind: 'plugin', organization: owner.organizationId };
  const paper = (await call('POST', '/papers/', { as: owner, json })).json.id;
  const now = clock.now();
  const [connection, request, delivery] = [random.id(), random.id(), random.id()];
  const times = { created_at: now, updated_at: now };
  await db('connections').insert({
    id: connection,
    paper_id: paper,
    user_id: owner.userId,
    organization_id: owner.organizationId,
    generation: 1,
    name: 'n',
    token_hash: connection,
    token_sealed: 's',
    callback_token_sealed: 's',
    config_url: 'u',
    settings_url: 'u',
    render_url: 'u',
    callback_url: 'u',
    revoked_at: null,
    ...times,
  });
  await db('content_requests').insert({
    id: request,
    connection_id: connection,
    generation: 1,
    paper_id: paper,
    message_id: 'm',
    content_hash: 'h',
    state: 'active',
    sequence: 1,
    text: 't',
    image_key: null,
    accepted_at: now,
    due_at: null,
    ...times,
  });
  await db('deliveries').insert({
    id: delivery,
    request_id: request,
    paper_id: paper,
    device_id: deviceId,
    serial: 's',
    assignment: 1,
    frame_name: 'Kitchen',
    state,
    upload_id: null,
    attempts: 1,
    reason: null,
    due_at: null,
    ...times,
  });
  await db('callback_events').insert({
    id: random.id(),
    connection_id: connection,
    generation: 1,
    request_id: request,
    delivery_id: delivery,
    state,
    body: JSON.stringify({ state, messageId: 'm' }),
    attempts: 0,
    due_at: now,
    created_at: now,
    delivered_at: null,
    problem: null,
  });
  return paper;
}

test('A-8, T-15: one answer has what changed of what the caller may see: events of frames, and deliveries', () =>
  withHttp(async (world) => {
    const { admin, patient, onlyself, stranger, call, clock, random, passes, db } = world;
    const start = (await call('GET', '/changes/', { as: admin })).json.next;
    const read = async (as: Person) => (await call('GET', `/changes/?after=${start}`, { as })).json;
    const told = async (as: Person) =>
      // biome-ignore lint/suspicious/noExplicitAny: an answer as it came
      (await read(as)).changes.map(({ name, type, payload }: any) =>
        [name, type, payload.stage ?? payload.state].join(' '),
      );
    const kitchen = await hang(world, admin, 'epd7-0000000000aa', 'Kitchen');
    await hang(world, stranger, 'epd7-0000000000bb', 'Elsewhere');
    passes(1_000);
    await happens(world, 'epd7-0000000000aa', 'fetched');
    await happens(world, 'epd7-0000000000bb', 'shown');
    passes(1_000);
    const paper = await delivers(world, admin, kitchen, 'synced');
    await delivers(world, admin, kitchen, 'prepared');
    assert.equal((await told(admin)).slice(0, 1), ['Kitchen picture fetched']);
    assert.equal((await told(admin)).slice(1).sort(), ['Kitchen delivery prepared', 'Kitchen delivery synced']);
    assert.equal(await told(stranger), ['Elsewhere picture shown']);
    for (const person of [patient, onlyself]) assert.equal(await told(person), []);
    await db('devices').where({ id: kitchen }).update({ patient: onlyself.userId });
    assert.is((await told(onlyself)).length, 3);
    const [first] = (await read(admin)).changes;
    assert.equal([first.deviceId, first.payload], [kitchen, { stage: 'fetched' }]);
    const synced = (await read(admin)).changes.find(
      ({ payload }: { payload: { state?: string } }) => payload.state === 'synced',
    );
    assert.equal(synced.payload, { state: 'synced', paper, messageId: 'm' });
    assert.equal((await read(admin)).as, [{ organization: admin.organizationId, role: 'admin' }]);
    assert.is((await call('GET', '/changes/')).status, 401);

    // T-16, T-63: what the frame and the device lived through with others before.
    await db('devices').where({ id: kitchen }).update({ organization_id: stranger.organizationId, patient: null });
    await changeHands(db, 'epd7-0000000000aa', { now: clock.now(), random });
    assert.equal(await told(stranger), ['Elsewhere picture shown']);
    assert.equal(await told(admin), []);

    passes(11 * minuteMs);
    assert.equal(await told(stranger), [], 'ten minutes back at most');
    for (const after of ['', 'x', '-1', '1e3', '9'.repeat(25), 'ABCDEF00']) {
      assert.is((await call('GET', `/changes/?after=${after}`, { as: admin })).status, 400, after);
    }
  }));

test('a caller who asks from where the answer before ends misses nothing, however much there is', () =>
  withHttp(async (world) => {
    const { admin, call, clock, db, random } = world;
    await hang(world, admin, 'epd7-0000000000aa', 'Kitchen');
    const read = async (after?: string) =>
      (await call('GET', after === undefined ? '/changes/' : `/changes/?after=${after}`, { as: admin })).json;
    const start = await read();
    assert.equal([start.changes, start.hasMore], [[], false]);
    assert.ok(Number.parseInt(start.next, 16) * 1000 <= clock.now() - 9_000, 'answers overlap');
    const serial = 'epd7-0000000000aa';
    const at = clock.now();
    await db.transaction(async (trx) => {
      for (let count = 0; count < 750; count++) {
        // All in one second, in which ids have no order of time.
        await recordFrameEvent(trx, random, { serial, type: 'log', at, payload: { count } });
      }
    });
    const seen = new Set<number>();
    let next: string = start.next;
    for (let hasMore = true; hasMore; ) {
      const answer = await read(next);
      assert.ok(answer.changes.length <= 500);
      for (const { payload } of answer.changes) seen.add(payload.count);
      ({ next, hasMore } = answer);
    }
    assert.is(seen.size, 750);
  }));

test.run();
