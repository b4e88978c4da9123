/** The battery by its table, and what a frame does whose power fails. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { classicFrame, frameStory, nativeFrame, nibbleFile, pollingFrame } from './frame-story.ts';
import { playWakes } from './play-wakes.ts';

const test = suite('behaviours of power');
const saysHello = (word: string): boolean => word.startsWith('say hello');

test('a battery drains by the wake, by the second, by the kilobyte, by the refresh, and while the frame sleeps', () => {
  const story = frameStory(classicFrame());
  const drains = (step: () => unknown): number => {
    const before = story.state.batteryMv;
    step();
    return Math.round((before - story.state.batteryMv) * 10_000) / 10_000;
  };
  assert.is(
    drains(() => story.wakes('button')),
    0.05,
  );
  assert.is(
    drains(() => story.happens({ kind: 'link lost', why: 'x' }, 10)),
    0.15,
  );
  assert.is(
    drains(() => story.timerRings('reconnect')),
    0,
  );
  story.linkComesUp();
  story.hears('receive', { act: 'activated', timeout: 600, t: 1, url: '/f/a' });
  story.probeAnswers();
  assert.is(
    drains(() => story.downloads(nibbleFile(1))),
    0.0375,
    '188 kilobytes',
  );
  assert.is(
    drains(() => story.draws()),
    0.2275,
    '35 s awake, and a refresh of 35 s',
  );
  story.linkComesUp();
  assert.is(
    drains(() => story.wakes('timer', 86_400)),
    0.85,
    'a day asleep, and a wake',
  );
});

test('a frame that was never switched on has drained nothing', () => {
  const story = frameStory({ ...nativeFrame(), nowMs: 0 });
  story.wakes('button', 1_700_000_000);
  assert.is(story.state.batteryMv, 5999.95);
});

test('power fails in every third wake, one event later each time, and the frame starts by a reset', () => {
  const { words } = playWakes('native', ['power-loss'], 26);
  const lost = words.flatMap((word, at) => (word === 'sleep 30 reset' ? [words.slice(0, at)] : []));
  assert.is(lost.length, 6, 'at the seventh event it falls asleep anyway');
  const begun = lost.map((before) => before.slice(before.findLastIndex((word) => word.startsWith('sleep')) + 1));
  assert.equal(begun[0], [], 'as it starts');
  assert.equal(begun[1], ['connect'], 'before it subscribes');
  assert.ok(begun[3]?.some(saysHello), 'after it has said hello');
  assert.match(String(begun[5]?.at(-1)), 'draw');
});

test('power that fails in a draw leaves nothing on the glass, and the next hello claims nothing', () => {
  const { words, glasses } = playWakes('native', ['power-loss'], 17);
  assert.ok(glasses.some(({ shows }, at) => at > 0 && shows === 'nothing'));
  const at = words.lastIndexOf('sleep 30 reset');
  const hello = JSON.parse(String(words.slice(at).find(saysHello)).slice('say hello '.length));
  assert.equal([hello.wake, hello.pictureSynced, hello.sha256], ['reset', false, undefined]);
});

test('a weak battery gives in under a refresh of every fourth wake, and restarts at once', () => {
  for (const [dialect, weak, times] of [
    ['native', 4290, 2],
    ['classic', 4290, 1],
    ['trmnl', 5100, 2],
  ] as const) {
    const { words, last } = playWakes(dialect, ['weak-battery'], 9);
    assert.is(words.filter((word) => word === 'sleep 0.2 reset').length, times, dialect);
    assert.ok(last.batteryMv <= weak && last.batteryMv > weak - 10, `${dialect} has ${last.batteryMv}`);
  }
});

test('a drained frame is dead when its battery is empty, and lives again when it was charged', () => {
  const { last, isDead, words } = playWakes('native', ['drained'], 60);
  assert.ok(isDead);
  assert.is(last.boots, 47);
  assert.is(words.at(-1), 'sleep for ever timer');
  const story = frameStory({ ...last, batteryMv: 6000 }, ['drained']);
  assert.equal(story.wakes('button'), ['connect']);
  const fielded = playWakes('classic', ['drained'], 60);
  assert.ok(fielded.isDead);
  assert.is(fielded.words.filter((word) => word === 'sleep 86000 timer').length, 12, 'W-39, below 4200 mV');
  const polling = frameStory(pollingFrame('1.8.15', { batteryMv: 4840 }), ['drained']);
  assert.equal(polling.wakes('timer'), ['sleep for ever timer']);
});

test.run();
