import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type PapergateClient, PapergateError, papergate, type StreamedChange } from '../../client/papergate.ts';
import { recordFrameEvent } from '../../gateway/frames/event-log.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { type HttpWorld, picture, withHttp } from '../http/world.ts';
import { longTest } from '../some-times.ts';

const test = suite('waiting for proof');
const serial = 'epd7-0000000000aa';

/** A frame that shows a paper, and a picture that was sent to it. */
async function hang({ frames, admin, db, clock }: HttpWorld, { call }: PapergateClient) {
  await frames.provision(serial);
  await frameRegistry(db).change(serial, { dialect: 'classic', last_contact_at: clock.now() }, clock.now());
  const { organizationId: organization } = admin;
  const { device } = await call('POST /devices/registerdevice/{serial}', {
    path: { serial },
    body: { enable: true, organization },
  });
  await call('POST /devices/{deviceId}', { path: { deviceId: device.id }, body: { meta: { name: 'Kitchen' } } });
  const paper = await call('POST /papers/', { body: { deviceId: device.id, kind: 'image', organization } });
  return { device, paper, sent: await push({ call }, paper.id, 'one') };
}

const push = ({ call }: Pick<PapergateClient, 'call'>, paperId: string, content: string) =>
  call('POST /papers/uploadSingleImage/{paperId}', {
    path: { paperId },
    form: { picture: [new Blob([new Uint8Array(picture(content))])] },
  });

/** The frame proves the newest picture of its paper, and sends something that the stream reports. */
async function prove({ db, random, clock, frames, passes }: HttpWorld, paperId: string): Promise<void> {
  const row = await db('papers').where({ id: paperId }).first('picture_revision');
  const sha256 = await frames.storePicture(Buffer.from(`file of ${row.picture_revision}`));
  const offered = {
    serial,
    revision: `picture:${row.picture_revision}`,
    sha256,
    bytes: 10,
    format: 'nibbles' as const,
    panel: 'epd7' as const,
  };
  const { id } = await db.transaction((trx) => uploadLog(trx).offer(offered as never, { now: clock.now(), random }));
  for (const stage of ['announced', 'fetched', 'shown']) {
    passes(1_000);
    await db('uploads')
      .where({ id })
      .update({ [`${stage}_at`]: clock.now() });
  }
  const { file_version } = await db('uploads').where({ id }).first('file_version');
  await frameRegistry(db).change(
    serial,
    { reported_version: file_version, picture_synced: 1, last_contact_at: clock.now() },
    clock.now(),
  );
  const payload = { stage: 'shown' as const, fileVersion: file_version };
  await recordFrameEvent(db, random, { serial, type: 'picture', at: clock.now(), payload });
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const failure = (promise: Promise<unknown>): Promise<PapergateError> =>
  promise.then(
    () => {
      throw new Error('it went well');
    },
    (error) => error,
  );

test('it returns the frames once each is proven, soon after the stream reports it', () =>
  withHttp(async (world) => {
    const service = papergate({ url: world.url, apiKey: world.admin.key });
    const { paper, sent } = await hang(world, service);
    let isProven = false;
    const waiting = service.waitUntilSynced(sent).then((frames) => {
      assert.ok(isProven, 'not before it is');
      return frames;
    });
    await pause(2_500);
    isProven = true;
    await prove(world, paper.id);
    const from = Date.now();
    const frames = await waiting;
    assert.ok(Date.now() - from < 5_000, 'long before the look that comes by itself');
    assert.equal(
      frames.map(({ name, why }) => [name, why]),
      [['Kitchen', null]],
    );
    assert.is((await service.waitUntilSynced({ id: paper.id })).length, 1, 'what is proven already');
  }));

longTest(test)('it goes on when the stream breaks and while nobody answers', () =>
  withHttp(async (world) => {
    let broken = 0;
    const ask = async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
      if (broken < 2 && String(input).endsWith('/changes/stream')) {
        broken++;
        throw new TypeError('fetch failed');
      }
      if (broken > 0 && broken < 4 && String(input).includes('/devices/overview')) {
        broken++;
        return new Response('{"code":"shutting-down"}', { status: 503 });
      }
      return fetch(input, init);
    };
    const service = papergate({ url: world.url, apiKey: world.admin.key, fetch: ask as typeof fetch });
    const { paper, sent } = await hang(world, service);
    const waiting = service.waitUntilSynced(sent, { timeoutMs: 60_000 });
    await pause(6_000);
    await prove(world, paper.id);
    assert.is((await waiting).length, 1);
    assert.ok(broken >= 2, `${broken}`);
  }),
);

test('it says what is missing when it is too late, and ends with the reason of a signal', () =>
  withHttp(async (world) => {
    const service = papergate({ url: world.url, apiKey: world.admin.key });
    const { sent } = await hang(world, service);
    const late = await failure(service.waitUntilSynced(sent, { timeoutMs: 1_500 }));
    assert.instance(late, PapergateError);
    assert.equal([late.code, late.hint], ['not-synced', 'Kitchen: nothing-offered']);
    const stop = new AbortController();
    const waiting = service.waitUntilSynced(sent, { signal: stop.signal, timeoutMs: 60_000 });
    stop.abort(new Error('enough'));
    assert.is((await failure(waiting)).message, 'enough');
  }));

test('it ends when the picture can no longer come: another one was sent, no frame shows it, or it waits for its time', () =>
  withHttp(async (world) => {
    const service = papergate({ url: world.url, apiKey: world.admin.key });
    const { device, paper, sent } = await hang(world, service);
    await pause(5);
    await push(service, paper.id, 'another');
    await prove(world, paper.id);
    assert.is((await failure(service.waitUntilSynced(sent))).code, 'overtaken');
    assert.is((await failure(service.waitUntilSynced({ ...sent, reason: 'upload-waits' }))).code, 'waits-for-time');
    await service.call('POST /devices/{deviceId}', { path: { deviceId: device.id }, body: { paper: null } });
    assert.is((await failure(service.waitUntilSynced({ id: paper.id }))).code, 'no-frame');
    assert.is((await failure(service.waitUntilSynced({ id: '0'.repeat(24) }))).code, 'not-found');
  }));

test('changes are reported as they happen, until the signal is aborted', () =>
  withHttp(async (world) => {
    const service = papergate({ url: world.url, apiKey: world.admin.key });
    const { paper } = await hang(world, service);
    const stop = new AbortController();
    const told: StreamedChange[] = [];
    for await (const change of service.changes(stop.signal)) {
      told.push(change);
      if (change.event === 'ready') await prove(world, paper.id);
      if (change.event === 'change' && 'type' in change.data && change.data.type === 'picture') stop.abort();
    }
    assert.is(told[0]?.event, 'ready');
    const refused = papergate({ url: world.url, apiKey: 'wrong' });
    const error = await failure(
      (async () => {
        for await (const _ of refused.changes(new AbortController().signal)) assert.unreachable();
      })(),
    );
    assert.is(error.status, 401);
  }));

test.run();
