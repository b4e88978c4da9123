/** C-49, C-54, C-55, C-57: what an upload is answered with is what the logs of its devices say, whatever becomes of it. */
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { forgetOldRows } from '../../api/retention/forget-old-rows.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { type FramedPaper, framedPaper, ok, type Part, photo } from './images-world.ts';
import { type DrawnLineWorld, gradient, withDrawnLine } from './line-world.ts';

const test = suite('what uploads tell');

// biome-ignore lint/suspicious/noExplicitAny: entries are looked into field by field
type Entry = any;

async function logOf({ call, admin }: DrawnLineWorld, deviceId: string, limit = 50): Promise<Entry[]> {
  return ok(await call('GET', `/devices/upload-logs/${deviceId}?limit=${limit}`, { as: admin })).json.results;
}

/** Uploads and lets the line do its part; gives the answer. */
async function sent({ settles }: DrawnLineWorld, paper: FramedPaper, ...parts: Part[]): Promise<Entry> {
  const { json } = ok(await paper.upload(parts));
  await settles();
  return json;
}

const force: Part = ['forceUpload', 'true'];

test('C-55: an upload, a skipped one, a forced one and a like one each have their entry, and keep their paper', () =>
  withDrawnLine(async (world) => {
    const paper = await framedPaper(world);
    const white = await photo(800, 480, '#ffffff');
    const answers = [
      await sent(world, paper, ['picture', await photo(800, 480)]),
      await sent(world, paper, ['picture', white]),
      await sent(world, paper, ['picture', white]),
      await sent(world, paper, ['picture', white], force),
    ];
    const entries = (await logOf(world, paper.deviceId)).reverse();
    assert.equal(
      entries.map(({ attemptId }) => attemptId),
      answers.map(({ uploadAttemptId }) => uploadAttemptId),
    );
    assert.is(new Set(entries.map(({ attemptId }) => attemptId)).size, 4);
    for (const field of ['reason', 'similarityPercentage']) {
      assert.equal(
        entries.map((entry) => entry[field]),
        answers.map((answer) => answer[field]),
        field,
      );
    }
    const like = entries[1].similarityPercentage;
    assert.ok(like > 0 && like < 100, `${like} % equal`);
    assert.equal(
      entries.map(({ status, reason, forceUpload }) => `${status} ${reason} ${forceUpload}`),
      [
        'uploaded device-frame-uploaded false',
        'uploaded device-frame-uploaded false',
        'skipped similarity-threshold-met false',
        'uploaded force-upload true',
      ],
    );
    assert.equal(
      entries.map(({ decision }) => Object.values(decision).join(' ')),
      [
        'upload previous-device-image-unavailable false',
        'upload below-similarity-threshold false',
        'skip similarity-threshold-met false',
        'upload force-upload true',
      ],
    );
    for (const entry of entries) {
      assert.equal([entry.paperId, entry.trigger, entry.triggerMetadata.paperKind], [paper.id, 'picture', 'image']);
      assert.equal([entry.similarityThreshold, entry.failures], [100, []]);
      assert.is(entry.stages[0]?.stage, entry.status === 'skipped' ? undefined : 'offered');
    }
    assert.equal(await logOf(world, paper.deviceId, 2), entries.slice(2).reverse());
    world.passes(91 * 86_400_000);
    await forgetOldRows(world.db, world.clock.now());
    assert.equal((await world.db('upload_attempts')).length, 0);
    const [last] = await logOf(world, paper.deviceId);
    assert.is(last.paperId, paper.id, 'offers that nothing was written down for are told of all the same');
  }));

test('C-49: an upload draws a page again; the answer has every field, and the log how it ended', () =>
  withDrawnLine(async (world) => {
    for (const [kind, meta] of [
      ['text', { text: 'Hello' }],
      ['plugin', {}],
    ] as const) {
      const paper = await framedPaper(world, { kind });
      const settings: Part = ['settings', JSON.stringify({ orientation: 'landscape', ...meta })];
      const answers = [await sent(world, paper, settings), await sent(world, paper), await sent(world, paper, force)];
      for (const { skippedUpload, similarityPercentage, key } of answers) {
        assert.equal([skippedUpload, similarityPercentage, key], [false, null, null], kind);
      }
      assert.equal(
        answers.map(({ reason }) => reason),
        ['device-frame-uploaded', 'device-frame-uploaded', 'force-upload'],
      );
      assert.is(new Set(answers.map(({ imageUpdatedAt }) => imageUpdatedAt)).size, 3);
      const entries = (await logOf(world, paper.deviceId)).reverse();
      assert.equal(
        entries.slice(-3).map(({ attemptId, paperId, status }) => [attemptId, paperId, status]),
        ['uploaded', 'skipped', 'uploaded'].map((status, at) => [answers[at].uploadAttemptId, paper.id, status]),
        kind,
      );
    }
  }));

test('C-49, C-50: each upload to slides takes the next one', () =>
  withDrawnLine(async (world) => {
    const { call, admin, db } = world;
    const [one, two] = [await framedPaper(world), await framedPaper(world)];
    await sent(world, one, ['picture', await photo(800, 480, '#ff0000')]);
    await sent(world, two, ['picture', await photo(800, 480, '#0000ff')]);
    const slides = await framedPaper(world, { kind: 'slides' });
    const { deviceId, serial } = slides;
    const meta = { orientation: 'landscape', selectedPapers: [one.id, two.id] };
    const json = { organization: admin.organizationId, deviceId, kind: 'slides', meta };
    ok(await call('POST', `/papers/${slides.id}`, { as: admin, json }));
    await world.settles();
    const digests = (): Promise<string[]> =>
      db('uploads').where({ serial }).orderBy('file_version').pluck('picture_sha256');
    for (let turn = 0; turn < 3; turn++) await sent(world, slides, force);
    const [first, second, ...more] = await digests();
    assert.is.not(first, second);
    assert.equal(more, [first, second]);
    // A change is not an upload: the slide stays.
    ok(await call('POST', `/papers/${slides.id}`, { as: admin, json: { ...json, meta: { ...meta, title: 'Two' } } }));
    await world.settles();
    assert.is((await digests()).length, 4);
    await sent(world, slides);
    assert.is((await digests()).at(-1), first);
  }));

test('C-54: what no frame is handed says why, in the answer and in the log', () =>
  withDrawnLine(async (world) => {
    const { call, admin, db } = world;
    const parts: Part[] = [['picture', await gradient()]];
    const weird = await framedPaper(world, { kind: 'weird' });
    const strange = await framedPaper(world);
    await db('devices').where({ id: strange.deviceId }).update({ kind: 'unheard-of' });
    const hidden = await framedPaper(world);
    await db('devices').where({ id: hidden.deviceId }).update({ paper_id: null });
    for (const [paper, reason, failure] of [
      [weird, 'upload-processing-failed', /papers of kind "weird" are not rendered/],
      [strange, 'iot-upload-failed', /no panel is known/],
      [hidden, 'iot-upload-url-missing', undefined],
    ] as const) {
      const answer = await sent(world, paper, ...parts);
      const [entry] = await logOf(world, paper.deviceId);
      assert.equal([answer.reason, answer.skippedUpload], [reason, false]);
      assert.equal([entry.attemptId, entry.status, entry.reason], [answer.uploadAttemptId, 'failed', reason]);
      if (failure === undefined) assert.equal(entry.failures, []);
      else assert.match(entry.failures[0].message, failure);
    }
    // Another one comes first, and the paper is shown later.
    const last = await sent(world, hidden, ['picture', await photo(100, 100)]);
    ok(await call('POST', `/devices/${hidden.deviceId}`, { as: admin, json: { paper: hidden.id } }));
    await world.settles();
    const [shown, passedOver] = await logOf(world, hidden.deviceId);
    assert.equal([shown.attemptId, shown.status], [last.uploadAttemptId, 'uploaded']);
    assert.equal([passedOver.status, passedOver.failures], ['overtaken', []], 'nothing failed');
    const inTheField = (await call('GET', `/v1/devices/upload-logs/${hidden.deviceId}`, { as: admin })).json.results[1];
    assert.equal([inTheField.status, inTheField.reason], ['failed', 'upload-processing-failed']);
    assert.match(inTheField.failures[0].message, /another upload arrived/);
    ok(await call('DELETE', `/devices/${hidden.deviceId}`, { as: admin }));
    assert.is((await sent(world, hidden, ...parts)).reason, 'iot-upload-url-missing', 'its device was deleted');
  }));

test('C-43, C-54, C-57: below /v1 the upload selects its paper, and the device says that the picture waits', () =>
  withDrawnLine(async (world) => {
    const { call, admin, db, frames, clock } = world;
    const shown = await framedPaper(world);
    const { deviceId, serial } = shown;
    const json = { organization: admin.organizationId, deviceId, kind: 'image', meta: '' };
    const { id } = ok(await call('POST', '/papers', { as: admin, json })).json;
    const device = async () => ok(await call('GET', `/v1/devices/${deviceId}`, { as: admin })).json;
    const waiting = async () => (await device()).meta.currentFrameImageSyncPending;
    assert.is(await waiting(), undefined);
    const body = new FormData();
    body.append('picture', new Blob([new Uint8Array(await gradient())]), 'image.png');
    const answer = ok(await call('POST', `/v1/papers/uploadSingleImage/${id}`, { as: admin, body })).json;
    assert.equal([answer.reason, (await device()).paper], ['device-frame-uploaded', id]);
    await world.settles();
    const [entry] = await logOf(world, deviceId);
    assert.is(entry.attemptId, answer.uploadAttemptId);
    const pending = await waiting();
    assert.equal(pending, { paperId: id, queuedAt: entry.startedAt, nextDeviceSync: null });
    const pinged = ok(await call('GET', `/v1/devices/ping/${deviceId}`, { as: admin })).json;
    assert.equal(pinged.device.meta.currentFrameImageSyncPending, pending);
    // A client that sends back what it read does not make it last.
    const { meta } = await device();
    ok(await call('PATCH', `/v1/devices/${deviceId}`, { as: admin, json: { meta: { ...meta, name: 'Hall' } } }));
    assert.is((await db('devices').where({ id: deviceId }).first()).meta, '{"name":"Hall"}');
    await world.settles();
    const upload = await uploadLog(db).newest(serial);
    assert.ok(upload);
    await uploadLog(db).shown(upload.id, upload.file_version, clock.now(), 'reported');
    assert.is(await waiting(), undefined, 'it is on the glass');
    ok(await call('POST', `/papers/uploadSingleImage/${id}`, { as: admin, body: await nextPicture() }));
    assert.is((await waiting()).paperId, id);
    const facts = frames.facts.get(serial);
    assert.ok(facts);
    frames.facts.set(serial, { ...facts, pictureSynced: true });
    assert.is(await waiting(), undefined, 'in step: nothing is asked');
  }));

async function nextPicture(): Promise<FormData> {
  const body = new FormData();
  body.append('picture', new Blob([new Uint8Array(await photo(300, 300))]), 'image.png');
  return body;
}

test.run();
