/**
 * Pictures are known by the id under which they were sent: a repetition changes nothing, and a report about a glass is one
 * about that picture.
 */
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withAlbum } from './album-world.ts';
import { ok, photo } from './images-world.ts';

const test = suite('sent by id');

const formOf = async (colour: string): Promise<FormData> => {
  const body = new FormData();
  body.append('picture', new Blob([new Uint8Array(await photo(800, 480, colour))]), 'x.png');
  return body;
};

test('the same upload twice under one message changes nothing the second time, whatever came in between', () =>
  withAlbum(async ({ call, user, admin, settles, db, album: paperId, deviceId }) => {
    for (const path of [`/papers/uploadSingleImage/${paperId}`, `/devices/uploadSingleImage/${deviceId}`]) {
      const send = async (colour: string, messageId: string, as = user) =>
        ok(await call('POST', `${path}?messageId=${messageId}`, { as, body: await formOf(colour) })).json;
      const attemptOf = (json: { uploadAttemptId?: string; iotUpload?: { uploadAttemptId: string } }) =>
        json.iotUpload?.uploadAttemptId ?? json.uploadAttemptId;
      const first = await send('#ff0000', 'one');
      await settles();
      await send('#00ff00', 'two');
      await settles();
      const state = async () => [
        await db('papers').where({ id: paperId }).first('picture_revision', 'picture_key', 'image_updated_at'),
        await db('device_images').count({ total: '*' }).first(),
        await db('uploads').count({ total: '*' }).first(),
        await db('upload_attempts').count({ total: '*' }).first(),
      ];
      const before = await state();
      const again = await send('#ff0000', 'one');
      await settles();
      assert.is(attemptOf(again), attemptOf(first), path);
      assert.equal(await state(), before, `${path}: nothing was stored or offered`);
      // The name is the sender's own.
      assert.not.equal(attemptOf(await send('#0000ff', 'one', admin)), attemptOf(first));
      await settles();
    }
  }, 'image'));

test('two copies that come at once under one message are one upload', () =>
  withAlbum(async ({ call, user, settles, db, album: paperId, deviceId }) => {
    for (const path of [`/papers/uploadSingleImage/${paperId}`, `/devices/uploadSingleImage/${deviceId}`]) {
      const send = async () =>
        ok(await call('POST', `${path}?messageId=both`, { as: user, body: await formOf('#ff0000') })).json;
      await Promise.all([send(), send(), send()]);
      await settles();
    }
    assert.is((await db('upload_attempts').where({ cause: 'picture' })).length, 1);
    assert.is((await db('device_images')).length, 1);
  }, 'image'));

test('a picture that waits for its time is scheduled once under one message, also when it was cancelled', () =>
  withAlbum(async ({ call, user, db, clock, album: paperId, deviceId }) => {
    for (const path of [`/papers/uploadSingleImage/${paperId}`, `/devices/uploadSingleImage/${deviceId}`]) {
      const send = async () => {
        const body = await formOf('#ff0000');
        body.append('showFrom', new Date(clock.now() + 3_600_000).toISOString());
        return ok(await call('POST', `${path}?messageId=later`, { as: user, body })).json.timed.id;
      };
      const id = await send();
      ok(await call('DELETE', `/timed-pictures/${id}`, { as: user }));
      assert.is(await send(), id);
    }
    assert.is((await db('timed_pictures')).length, 2);
  }, 'image'));

test('what became of each picture is said of that picture: on the way, on the glass, and from when to when it was', () =>
  withAlbum(async ({ call, user, settles, shows, passes, album: paperId, deviceId }) => {
    const upload = async (colour: string): Promise<string> => {
      const body = await formOf(colour);
      const { json } = ok(await call('POST', `/papers/uploadSingleImage/${paperId}`, { as: user, body }));
      await settles();
      return json.uploadAttemptId;
    };
    const said = async (...ids: string[]) =>
      ok(await call('GET', `/devices/${deviceId}/sent?ids=${ids.join(',')}`, { as: user })).json as {
        state: string;
        since: string | null;
        until: string | null;
        level: string | null;
      }[];
    const states = async (...ids: string[]) => (await said(...ids)).map(({ state }) => state);
    const red = await upload('#ff0000');
    assert.equal(await states(red), ['on-its-way']);
    await shows(false);
    assert.equal(
      (await said(red)).map(({ state, level }) => [state, level]),
      [['on-glass', 'reported shown']],
      'a report alone proves nothing',
    );
    await shows();
    assert.is((await said(red))[0]?.level, 'confirmed');
    passes(60_000);
    const green = await upload('#00ff00');
    assert.equal(await states(red, green), ['on-glass', 'on-its-way']);
    const blue = await upload('#0000ff');
    assert.equal(await states(red, green, blue), ['on-glass', 'replaced', 'on-its-way']);
    passes(60_000);
    await shows();
    const [was, never, now] = await said(red, green, blue);
    assert.equal([was?.state, never?.state, now?.state], ['was-on-glass', 'replaced', 'on-glass']);
    assert.is(was?.until, now?.since, 'it was there until the frame reported the next one');
    assert.ok(Date.parse(was?.until ?? '') - Date.parse(was?.since ?? '') >= 120_000);
    // The very pixels that the frame has are that picture.
    const same = await upload('#0000ff');
    assert.not.equal(same, blue);
    assert.equal(await states(same), ['on-glass']);
    assert.equal(await states('0'.repeat(24)), ['replaced'], 'what never was is nowhere');
  }, 'image'));

test('an image of the frame’s own and a picture of an album are known by their ids as well', () =>
  withAlbum(async ({ call, user, send, settles, shows, wakesSoon, deviceId }) => {
    const states = async (...ids: string[]) =>
      ok(await call('GET', `/devices/${deviceId}/sent?ids=${ids.join(',')}`, { as: user })).json.map(
        ({ state }: { state: string }) => state,
      );
    const first = (await send('#ff0000')).json.id;
    const second = (await send('#0000ff')).json.id;
    await settles();
    await shows();
    assert.equal(await states(first, second), ['accepted', 'on-glass']);
    await wakesSoon();
    await shows();
    assert.equal(await states(first, second), ['on-glass', 'was-on-glass']);
    const body = await formOf('#00ff00');
    const { json } = ok(await call('POST', `/devices/uploadSingleImage/${deviceId}?messageId=own`, { as: user, body }));
    const own = json.iotUpload.uploadAttemptId;
    assert.equal(await states(own, first), ['on-its-way', 'on-glass']);
    await shows();
    assert.equal(await states(own, first), ['on-glass', 'was-on-glass']);
    const again = await formOf('#00ff00');
    const same = ok(await call('POST', `/devices/uploadSingleImage/${deviceId}`, { as: user, body: again })).json;
    assert.ok(same.iotUpload.skippedUpload);
    assert.equal(await states(same.iotUpload.uploadAttemptId), ['on-glass'], 'the frame has these pixels');
  }));

test.run();
