/** Works by names: none is under way twice, and none that is asked for meanwhile is forgotten. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { namedWorks } from '../../api/filled-albums/named-works.ts';
import { silentLogger } from '../../runtime/logger.ts';

const test = suite('named works');

/** A work that lasts until it is let go, and counts how often it began. */
function heldWork() {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const played = { begun: 0, release, work: () => (played.begun++ === 0 ? held : Promise.resolve()) };
  return played;
}

test('a filling that is due again while it is under way follows it once', async () => {
  const works = namedWorks(silentLogger);
  const played = heldWork();
  works.begin('album', 'org', played.work);
  works.begin('album', 'org', played.work);
  for (let time = 0; time < 3; time++) works.beginAfter('album', 'org', played.work);
  played.release();
  await works.idle();
  assert.is(played.begun, 2);
  works.beginAfter('album', 'org', played.work);
  await works.idle();
  assert.is(played.begun, 3, 'at once where nothing is under way');
});

test('nothing follows a work that is broken off', async () => {
  const works = namedWorks(silentLogger);
  const played = heldWork();
  works.begin('album', 'org', played.work);
  works.beginAfter('album', 'org', played.work);
  await Promise.resolve();
  works.stop();
  played.release();
  await works.idle();
  assert.is(played.begun, 1);
});

test.run();
