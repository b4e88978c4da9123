/** Who sent the pictures of the record: known by the picture itself, at whatever time it is shown. */
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wordsOfShowings } from '../../api/record/showing-words.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { Person } from '../http/world.ts';
import { framedPaper, ok, photo } from '../papers/images-world.ts';
import { type DrawnLineWorld, withDrawnLine } from '../papers/line-world.ts';

const test = suite('senders of the record');
const hourMs = 3_600_000;

async function stageOf(world: DrawnLineWorld) {
  const { call, db, clock, admin } = world;
  const paper = await framedPaper(world);
  ok(await call('POST', `/devices/${paper.deviceId}`, { as: admin, json: { meta: { orientation: 'landscape' } } }));
  return {
    paper,
    async send(as: Person, colour: string, to: 'paper' | 'device' = 'paper', hours: readonly number[] = []) {
      const body = new FormData();
      body.append('picture', new Blob([new Uint8Array(await photo(800, 480, colour))]), 'x.png');
      for (const [at, field] of ['showFrom', 'showUntil'].entries()) {
        const hour = hours[at];
        if (hour !== undefined) body.append(field, isoTime(clock.now() + hour * hourMs));
      }
      const path =
        to === 'paper' ? `/papers/uploadSingleImage/${paper.id}` : `/devices/uploadSingleImage/${paper.deviceId}`;
      const { json } = ok(await call('POST', path, { as, body }));
      await world.settles();
      return json;
    },
    async passes(hours: number): Promise<void> {
      world.passes(hours * hourMs);
      await world.settles();
    },
    /** The senders of what the frame was offered, in order. */
    async senders(): Promise<(string | null | undefined)[]> {
      const rows = await db('uploads').where({ serial: paper.serial }).orderBy('file_version');
      const words = await wordsOfShowings(db, rows);
      return rows.map(({ id }: { id: string }) => words.get(id)?.sender);
    },
  };
}

for (const to of ['paper', 'device'] as const) {
  test(`${to}: a picture with a time has its sender, and what comes back has its own`, () =>
    withDrawnLine(async (world) => {
      const { admin, user } = world;
      const { send, passes, senders } = await stageOf(world);
      await send(admin, '#ff0000');
      await send(user, '#00ff00', to, [2, 9]);
      await send(admin, '#0000ff', to, [4, 6]);
      for (let hour = 0; hour < 10; hour++) await passes(1.001);
      assert.equal(await senders(), ['Ada', 'Uma', 'Ada', 'Uma', 'Ada']);
    }));
}

test('an upload that is taken back, a picture shown again and a paper on another frame keep their senders', () =>
  withDrawnLine(async (world) => {
    const { admin, user, call, db } = world;
    const { paper, send, passes, senders } = await stageOf(world);
    await send(user, '#ff0000');
    const { uploadAttemptId } = await send(admin, '#00ff00');
    await passes(3);
    ok(await call('DELETE', `/papers/${paper.id}/uploads/${uploadAttemptId}`, { as: admin }));
    await passes(0);
    assert.equal(await senders(), ['Uma', 'Ada', 'Uma']);
    const [, green] = await db('uploads').where({ serial: paper.serial }).orderBy('file_version');
    const again = { uploadId: green.id, exactly: true };
    ok(await call('POST', `/devices/${paper.deviceId}/show-again`, { as: user, json: again }));
    await passes(0);
    assert.equal(await senders(), ['Uma', 'Ada', 'Uma', 'Ada']);
    const other = await framedPaper(world);
    await passes(1);
    ok(await call('POST', `/devices/${other.deviceId}`, { as: admin, json: { paper: paper.id } }));
    await passes(0);
    const [offer] = await db('uploads').where({ serial: other.serial });
    assert.is((await wordsOfShowings(db, [offer])).get(offer.id)?.sender, 'Uma');
  }));

test.run();
