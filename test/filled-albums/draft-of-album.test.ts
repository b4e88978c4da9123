/** An album is seen with choices that are not saved yet: the words on its next picture, and a pair that is here. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withFilled } from './filled-world.ts';
import { colouredPicture } from './played-source.ts';

const test = suite('drafts of filled albums');

test('a draft shows the next picture with the words and the pair that are chosen, and keeps nothing', () =>
  withFilled(async (world) => {
    const { call, admin, album, deviceId, source, db } = world;
    for (const key of ['one', 'two']) {
      const size = { width: 600, height: 900 };
      source.add({
        key,
        ...size,
        place: 'Lisbon',
        taken: '2024-05-04T12:00:00',
        content: await colouredPicture(key, size),
      });
    }
    await world.adds();
    await world.fills();
    const draws = async (meta: object): Promise<Buffer> => {
      const json = { deviceId, kind: 'album', paperId: album, meta: { orientation: 'landscape', ...meta } };
      const drawn = await call('POST', '/previews/paper', { as: admin, json });
      assert.is(drawn.status, 200, drawn.text);
      return sharp(Buffer.from(drawn.json.png, 'base64')).removeAlpha().raw().toBuffer();
    };
    const rows = await db('sent_pictures');
    const plain = await draws({});
    assert.ok((await draws({ pairs: false })).equals(plain));
    const worded = await draws({ words: ['date', 'place'] });
    const paired = await draws({ pairs: true });
    assert.not.ok(worded.equals(plain) || paired.equals(plain) || paired.equals(worded));
    // The words stand below: the upper half is as it was. A pair has another picture on its right.
    assert.ok(worded.subarray(0, worded.length / 3).equals(plain.subarray(0, plain.length / 3)));
    assert.equal(await db('sent_pictures'), rows);
  }));

test('an album that is not made yet, or has no pictures, says what is missing', () =>
  withFilled(async ({ call, admin, album, deviceId }) => {
    for (const paperId of [undefined, album]) {
      const json = { deviceId, kind: 'album', meta: { pairs: true }, paperId };
      const { json: drawn } = await call('POST', '/previews/paper', { as: admin, json });
      assert.equal([drawn.png, drawn.problems?.[0]?.code], [undefined, 'no-album-picture']);
    }
  }));

test.run();
