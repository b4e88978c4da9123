/** The savings of a frame's battery and link, end to end: an unchanged picture, and the rest of a broken download. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { longTest } from '../some-times.ts';
import { postcardMeta, type ServiceWorld, withService } from './world.ts';

const test = suite('sparing frames');
const serial = 'epd7-0000000000a1';

async function connected(world: ServiceWorld) {
  const paper = await world.createPaper('plugin', postcardMeta(world.integration));
  await world.showOn(paper, [serial]);
  return world.connect(paper);
}

/** How often the service itself saw the frame take a picture, and how often it was spared that. */
async function proofs(world: ServiceWorld): Promise<{ fetched: number; unchanged: number }> {
  const rows: { payload: string }[] = await world.context.db('frame_events').where({ serial, type: 'picture' });
  const said = rows.map(({ payload }) => JSON.parse(payload));
  return {
    fetched: said.filter(({ stage, bytes }) => stage === 'fetched' && bytes !== undefined).length,
    unchanged: said.filter(({ stage }) => stage === 'unchanged').length,
  };
}

longTest(test)('INV-43: the same words again are synced under their own request without a download or a refresh', () =>
  withService(async (world) => {
    const fleet = await world.startFrames([{ serial, dialect: 'native' }]);
    const push = await connected(world);
    await push.submit({ messageId: 'one', text: 'The same words' });
    await push.reach('synced', 'one');
    const refreshes = () => fleet.frames.get(serial)?.state.refreshes;
    assert.is(refreshes(), 1);
    const { fetched } = await proofs(world);
    await push.submit({ messageId: 'two', text: 'The same words' });
    await push.reach('synced', 'two');
    assert.is(refreshes(), 1);
    const after = await proofs(world);
    assert.equal([after.fetched, after.unchanged > 0], [fetched, true]);
    await push.submit({ messageId: 'three', text: 'Other words' });
    await push.reach('synced', 'three');
    assert.is(refreshes(), 2);
  }),
);

longTest(test)('INV-43: a frame whose every first download breaks off fetches the rest and is synced', () =>
  withService(async (world) => {
    const fleet = await world.startFrames([{ serial, dialect: 'native', behaviours: ['torn-download'] }]);
    const push = await connected(world);
    const { requestId } = await push.submit({ messageId: 'one', text: 'In two parts' });
    await push.reach('synced', 'one');
    const glass = fleet.frames.get(serial)?.state.glass;
    const upload = await world.context.db('uploads').where({ revision: requestId }).first();
    assert.is(glass?.shows === 'picture' && glass.sha256, upload.picture_sha256);
    assert.equal(JSON.parse(upload.coverage).taken, [[0, upload.picture_bytes]], 'by its parts');
  }),
);

test.run();
