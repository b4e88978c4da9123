/** Uploads that are taken back: to papers, and images of a device's own. */
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { collectFiles } from '../../api/files/collect-files.ts';
import { takeBackMs } from '../../api/papers/replaced-pictures.ts';
import { framedPaper, ok, photo } from './images-world.ts';
import { type DrawnLineWorld, withDrawnLine } from './line-world.ts';

const test = suite('taking uploads back');

/** A paper on a frame, and what its frame was offered last. */
async function stageOf(world: DrawnLineWorld) {
  const { call, admin, db } = world;
  const paper = await framedPaper(world);
  const newest = () => db('uploads').where({ serial: paper.serial }).orderBy('file_version', 'desc').first();
  return {
    paper,
    newest,
    digest: async (): Promise<string> => (await newest()).picture_sha256,
    /** Sends one colour, and gives the name of the upload. */
    async send(colour: string, settings = '{}'): Promise<string> {
      const { json } = ok(
        await paper.upload([
          ['picture', await photo(800, 480, colour)],
          ['settings', settings],
        ]),
      );
      await world.settles();
      return json.uploadAttemptId;
    },
    async takeBack(attemptId: string) {
      const answer = await call('DELETE', `/papers/${paper.id}/uploads/${attemptId}`, { as: admin });
      await world.settles();
      return answer;
    },
    async sendToDevice(colour: string): Promise<string> {
      const body = new FormData();
      body.append('picture', new Blob([new Uint8Array(await photo(800, 480, colour))]), 'x.png');
      const path = `/devices/uploadSingleImage/${paper.deviceId}`;
      const { json } = ok(await call('POST', path, { as: admin, body }));
      await world.settles();
      return json.deviceMeta.uuid;
    },
    async showAgain(json: { uploadId: string; insteadOf?: string; exactly?: boolean }) {
      const answer = await call('POST', `/devices/${paper.deviceId}/show-again`, { as: admin, json });
      await world.settles();
      return answer;
    },
  };
}

test('an upload that is taken back leaves the picture and the settings of before, which the frame is offered', () =>
  withDrawnLine(async (world) => {
    const { paper, send, takeBack, digest } = await stageOf(world);
    await send('#ff0000', JSON.stringify({ optimize: { enabled: true, intent: 'photo' }, title: 'Holiday' }));
    const red = await digest();
    const before = await paper.row();
    const attempt = await send('#00ff00', JSON.stringify({ optimize: { enabled: true, intent: 'vivid' } }));
    assert.not.equal(await digest(), red);
    await world.call('POST', `/papers/${paper.id}`, {
      as: world.admin,
      json: { ...before, deviceId: paper.deviceId, organization: before.organization_id, name: 'Renamed' },
    });
    ok(await takeBack(attempt));
    assert.is(await digest(), red);
    const { picture_key, meta } = await paper.row();
    assert.equal([picture_key, JSON.parse(meta)], [before.picture_key, JSON.parse(before.meta)]);
    const twice = await takeBack(attempt);
    assert.equal([twice.status, twice.json.code], [409, 'conflict']);
  }));

test('a person who sends the same upload twice takes both back at once; another picture since, and a day, are in the way', () =>
  withDrawnLine(async (world) => {
    const { paper, send, takeBack } = await stageOf(world);
    // No frame shows the paper, so nothing distinguishes the repetition from a new picture.
    await world.call('POST', `/devices/${paper.deviceId}`, { as: world.admin, json: { paper: null } });
    await send('#ff0000');
    const before = await paper.row();
    await send('#00ff00');
    ok(await takeBack(await send('#00ff00')));
    assert.is((await paper.row()).picture_key, before.picture_key);
    const first = await send('#0000ff');
    await send('#000000');
    assert.is((await takeBack(first)).json.code, 'conflict');
    const late = await send('#ffff00');
    world.passes(takeBackMs + 1);
    assert.is((await takeBack(late)).json.code, 'picture-gone');
  }));

test('the first picture of a paper is taken back to none, and the file of a replaced one is kept while it may come back', () =>
  withDrawnLine(async (world) => {
    const { paper, send, takeBack } = await stageOf(world);
    ok(await takeBack(await send('#ff0000')));
    const { picture_key, picture_revision } = await paper.row();
    assert.equal([picture_key, picture_revision], [null, null]);
    await send('#ff0000');
    const former = (await paper.row()).picture_key;
    const attempt = await send('#00ff00');
    for (let pass = 0; pass < 2; pass++) await collectFiles({ ...world, dataFolder: world.dataFolder });
    assert.ok(await world.pictures.get(former));
    ok(await takeBack(attempt));
  }));

test('an image of the device’s own gives way to the image before, or to the paper; one that is no longer shown to nothing', () =>
  withDrawnLine(async (world) => {
    const { send, sendToDevice, showAgain, digest, newest } = await stageOf(world);
    await send('#ff0000');
    const ofPaper = await newest();
    const green = await sendToDevice('#00ff00');
    const ofGreen = await newest();
    const blue = await sendToDevice('#0000ff');
    const late = await showAgain({ uploadId: ofPaper.id, insteadOf: green });
    assert.equal([late.status, late.json.code], [409, 'conflict']);
    ok(await showAgain({ uploadId: ofGreen.id, insteadOf: blue }));
    assert.is(await digest(), ofGreen.picture_sha256);
    ok(await showAgain({ uploadId: ofPaper.id, insteadOf: green }));
    assert.is(await digest(), ofPaper.picture_sha256);
    assert.is((await showAgain({ uploadId: '0'.repeat(24) })).status, 404);
  }));

test('a past picture of a paper is shown again exactly, ink by ink, although its paper shows another one now', () =>
  withDrawnLine(async (world) => {
    const { paper, send, showAgain, digest, newest } = await stageOf(world);
    await send('#b06040', JSON.stringify({ optimize: { enabled: true, intent: 'photo' } }));
    const [past, inks] = [(await newest()).id, await digest()];
    await send('#00ff00');
    assert.is.not(await digest(), inks);
    ok(await showAgain({ uploadId: past }));
    assert.is.not(await digest(), inks, 'an offer of a paper stands for what the paper shows');
    ok(await showAgain({ uploadId: past, exactly: true }));
    assert.is(await digest(), inks);
    const again = await newest();
    assert.is.not(again.id, past, 'it is an offer of its own');
    const gone = await showAgain({ uploadId: '0'.repeat(24), exactly: true });
    assert.equal([gone.status, gone.json.code], [404, 'not-found']);
    await world.db('devices').where({ id: paper.deviceId }).update({ paper_id: null });
    ok(await showAgain({ uploadId: again.id, exactly: true }));
    assert.is(await digest(), inks, 'and again without any paper');
  }));

test.run();
