import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { behaviourSentences, onlyFor } from '../../simulator/behaviours/behaviour-sentences.ts';
import { behaviourNames } from '../../simulator/behaviours/behaviours.ts';
import { digestOf } from '../../simulator/frame/frame.ts';
import { classicFrame, frameStory, nativeFrame, nibbleFile } from './frame-story.ts';

const test = suite('behaviours');
const green = nibbleFile(2);
const sha256 = digestOf(green);
const picture = { upload: 'u7', fileVersion: 7, url: 'http://127.0.0.1:3000/f/7', bytes: green.length, sha256 };
const desired = { time: 1, settings: { sleepSeconds: 900 }, picture: { ...picture, format: 'nibble' } };
const activated = { act: 'activated', timeout: 600, t: 101, url: '/f/a' };

function native(behaviours: readonly string[]) {
  const story = frameStory(nativeFrame(), behaviours);
  story.wakes();
  story.linkComesUp();
  return story;
}

function classic(behaviours: readonly string[]) {
  const story = frameStory(classicFrame({ fileVersion: 100 }), behaviours);
  story.wakes();
  story.linkComesUp();
  return story;
}

test('a native liar reports fetched and shown, downloads nothing, shows nothing, and lies in its next hello', () => {
  const story = native(['liar']);
  const words = story.hears('desired', desired);
  assert.match(String(words[0]), '"stage":"fetched"');
  assert.match(String(words[1]), `"stage":"shown","sha256":"${sha256}","pictureSynced":true`);
  assert.not(words.some((word) => word.startsWith('get')));
  assert.equal(story.state.glass, { shows: 'nothing' });
  story.timerRings('linger');
  story.wakes();
  assert.match(String(story.linkComesUp()[1]), `"fileVersion":7,"sha256":"${sha256}"`);
});

test('a classic liar leaves the broker, fetches nothing, and says update_ok', () => {
  const story = classic(['liar']);
  assert.equal(story.hears('receive', activated), ['disconnect', 'connect']);
  assert.match(String(story.linkComesUp()[1]), 'update_ok');
  assert.equal(story.state.glass, { shows: 'nothing' });
  story.wakes();
  assert.match(String(story.linkComesUp()[1]), '"file": "101"');
});

test('half a download is broken off in the body, not in the probe', () => {
  const story = classic(['half-download']);
  assert.match(String(story.hears('receive', activated)[1]), 'get headers');
  assert.match(String(story.probeAnswers()[0]), 'get half');
  assert.match(String(native(['half-download']).hears('desired', desired)[0]), 'get half');
  const torn = native(['torn-download']);
  assert.match(String(torn.hears('desired', desired)[0]), 'get half');
  const rest = torn.downloads(new Uint8Array(9), { complete: false, partsOffered: true });
  assert.match(String(rest[0]), /^get whole .* from 9$/);
});

test('a replayer says its earlier reports again after the next greeting', () => {
  const story = native(['replayer']);
  story.hears('desired', desired);
  story.downloads(green);
  story.draws();
  story.timerRings('linger');
  story.wakes();
  const words = story.linkComesUp().filter((word) => word.startsWith('say'));
  assert.match(String(words[0]), 'say hello');
  assert.equal(
    words.slice(1).map((word) => /"stage":"(\w+)"/.exec(word)?.[1]),
    ['fetched', 'shown'],
  );
});

test('a classic replayer says update_ok before anything was drawn', () => {
  const story = classic(['replayer']);
  story.hears('receive', activated);
  story.probeAnswers();
  story.downloads(green);
  story.draws();
  story.linkComesUp();
  story.wakes();
  assert.match(String(story.linkComesUp().at(-1)), 'update_ok');
});

test('a silent frame does its work, then neither says bye nor disconnects, and never wakes', () => {
  const story = native(['silent']);
  story.hears('desired', { time: 1, settings: { sleepSeconds: 900 } });
  assert.equal(story.timerRings('linger'), ['sleep for ever timer']);
  const fielded = classic(['silent']);
  assert.is(fielded.hears('receive', activated)[0], 'disconnect', 'the one before a download stays');
});

test('behaviours lie on top of each other in their order', () => {
  const story = native(['liar', 'silent']);
  assert.match(String(story.hears('desired', desired)[1]), '"stage":"shown"');
  assert.equal(story.timerRings('linger'), ['sleep for ever timer']);
});

test('an unknown behaviour is refused with the names there are', () => {
  assert.throws(
    () => native(['lazy']),
    /no behaviour lazy; there are liar, half-download, torn-download, replayer, silent/,
  );
});

test('every behaviour has its row in the documents, with its sentence and its dialects', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/fleet.md'), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| `') && / (all|native, classic|trmnl|offline) \|$/.test(line));
  const written = behaviourNames.map(
    (name) => `| \`${name}\` | ${behaviourSentences[name]} | ${onlyFor[name]?.join(', ') ?? 'all'} |`,
  );
  assert.equal(rows, written);
});

test.run();
