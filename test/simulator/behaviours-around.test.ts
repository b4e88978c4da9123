/** The behaviour of a frame towards its Wi-Fi, its clock, people, and updates. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { classicFrame, frameStory, nativeFrame, nibbleFile, pollingFrame } from './frame-story.ts';
import { playWakes } from './play-wakes.ts';

const test = suite('behaviours around');
const sleepsOf = (words: readonly string[]): string[] => words.filter((word) => word.startsWith('sleep'));
const isHello = (word: string): boolean => word.startsWith('say hello');
const helloOf = (word: string) => JSON.parse(word.slice('say hello '.length));

test('without Wi-Fi a native frame gives up for the sleep that it was sent', () => {
  const story = frameStory(nativeFrame({ boots: 1, sleepSeconds: 900 }), ['weak-wifi']);
  assert.equal(story.wakes(), ['join in vain 50']);
  assert.equal(story.happens({ kind: 'joined', isIn: false }, 50), ['sleep 900 timer']);
  assert.equal(story.wakes(), ['connect']);
});

test('without Wi-Fi a fielded frame sleeps its timeout, ten times; then it draws an overlay and sleeps half a day', () => {
  const { words, glasses, last } = playWakes('classic', ['lost-wifi'], 25);
  const tries = words.filter((word) => word === 'join in vain 50');
  assert.is(tries.length, 12);
  const from = words.indexOf('join in vain 50');
  const until = words.lastIndexOf('join in vain 50') + 2;
  const away = words.slice(from, until).filter((word) => word !== 'join in vain 50');
  const patient = Array.from({ length: 9 }, () => 'sleep 600 timer');
  assert.equal(away, [...patient, 'draw', ...Array.from({ length: 3 }, () => 'sleep 43000 timer')]);
  assert.ok(glasses.some((glass) => glass.shows === 'screen' && glass.screen === 'offline'));
  assert.is(last.glass.shows, 'picture', 'the next picture covers it');
  assert.is(last.dialect === 'classic' && last.wifiFailures, 0);
});

test('a fielded frame that is not activated waits for a person, and one that was kept awake stays so (W-27)', () => {
  const fresh = frameStory(classicFrame({ activated: false, boots: 1 }), ['weak-wifi']);
  fresh.wakes();
  assert.equal(fresh.happens({ kind: 'joined', isIn: false }), ['sleep until button button']);
  const eeprom = { overlay: true, clearscreen: true, sleepDisabled: true };
  const kept = frameStory(classicFrame({ boots: 1, eeprom }), ['weak-wifi']);
  kept.wakes();
  assert.equal(kept.happens({ kind: 'joined', isIn: false }), []);
  assert.is(kept.classic().phase.name, 'kept awake');
});

test('without Wi-Fi a frame that polls climbs its ladder, and in the end waits for its button', () => {
  const { words } = playWakes('trmnl', ['lost-wifi'], 17);
  const from = words.indexOf('join in vain 10');
  assert.equal(sleepsOf(words.slice(from)).slice(0, 4), [
    'sleep 60 timer',
    'sleep 180 timer',
    'sleep 300 timer',
    'sleep until button button',
  ]);
});

test('a clock that is off changes how long a frame sleeps, and not what it says', () => {
  for (const [name, sleep] of [
    ['fast-clock', 'sleep 570 timer'],
    ['slow-clock', 'sleep 630 timer'],
  ] as const) {
    const { words } = playWakes('native', [name], 3);
    assert.is(words.at(-1), sleep);
    assert.ok(words.includes('say bye {"sleepSeconds":600}'));
  }
});

test('a clock in 1970 is right again in the wake after a start; one in 2099 stays', () => {
  const story = frameStory(nativeFrame(), ['clock-1970']);
  assert.equal(story.wakes('button'), ['connect in 1970']);
  for (let lost = 1; lost < 5; lost++) {
    story.happens({ kind: 'link lost', why: 'the certificate is not valid yet' });
    assert.equal(story.timerRings('reconnect'), ['connect in 1970']);
  }
  assert.equal(story.happens({ kind: 'link lost', why: 'the certificate is not valid yet' }), ['sleep 3600 timer']);
  assert.equal(story.wakes('timer'), ['connect']);
  story.linkComesUp();
  story.hears('desired', { time: 1, settings: { sleepSeconds: 900 } });
  story.timerRings('linger');
  assert.equal(story.wakes('reset'), ['connect in 1970']);
  assert.not(playWakes('native', ['clock-2099'], 6).words.includes('connect'));
});

test('sleeps end in the middle by button, movement or reset, and the frame says so', () => {
  for (const [name, reason, wake] of [
    ['pressed', 'button', 2],
    ['moved', 'motion', 3],
    ['resets', 'reset', 4],
  ] as const) {
    const { words } = playWakes('native', [name], 6);
    assert.is(sleepsOf(words)[wake - 1], `sleep 300 ${reason}`);
    assert.is(helloOf(words.filter(isHello)[wake] ?? '').wake, reason);
  }
});

test('a frame that is turned while it draws hangs the other way, and draws again', () => {
  const story = frameStory(classicFrame(), ['turned']);
  story.wakes();
  story.linkComesUp();
  story.hears('receive', { act: 'activated', timeout: 600, t: 1, url: '/f/a' });
  story.probeAnswers();
  story.downloads(nibbleFile(2));
  assert.equal(story.draws(), ['draw']);
  assert.is(story.state.orientation, 'portrait');
  assert.is(story.state.glass.shows, 'nothing');
  assert.equal(story.draws(), ['connect']);
  assert.is(story.state.glass.shows, 'picture');
});

test('a refresh that never ends leaves nothing on the glass, and the failsafe ends the wake', () => {
  const { words, glasses } = playWakes('native', ['stuck-refresh'], 3);
  assert.equal(
    glasses.map(({ shows }) => shows),
    ['nothing', 'picture', 'nothing', 'picture'],
  );
  assert.is(words.filter((word) => word === 'draw').length, 2);
  const [, , third = ''] = words.filter(isHello);
  assert.equal([helloOf(third).sha256, helloOf(third).fileVersion], [undefined, 1]);
});

test('a frame that polls has no failsafe: it hangs in a refresh until somebody resets it, and then shows its logo and its picture', () => {
  const { words, glasses, last, isDead } = playWakes('trmnl', ['stuck-refresh'], 4);
  const hung = words.indexOf('sleep 3600 reset');
  assert.equal(words.slice(hung - 1, hung + 2), ['timer written 700', 'sleep 3600 reset', 'draw']);
  const shown = glasses.map((glass) => (glass.shows === 'screen' ? glass.screen : glass.shows));
  assert.ok(shown.join().includes('picture,nothing,logo,picture'), shown.join());
  assert.equal([last.boots > 2, isDead], [true, false]);
});

test('an owner flashes another version: it is the next one, its key is kept, and what was drawn last is forgotten', () => {
  const { last, words } = playWakes('trmnl', ['updated'], 13);
  // From the one before the newest to the newest, then the oldest.
  assert.is(last.firmware, '1.5.2');
  assert.ok(last.dialect === 'trmnl' && last.key !== undefined && last.does.version === '1.5.2');
  assert.is(words.filter((word) => word.includes('/api/setup')).length, 1, 'it asks for its key once');
  const polled = pollingFrame('1.7.8', { boots: 6, remembered: 'drawn', asleep: true });
  const story = frameStory(polled, ['updated']);
  story.wakes('timer');
  assert.equal([story.state.firmware, story.state.wake], ['1.8.14', 'reset']);
  assert.is(story.state.dialect === 'trmnl' && story.state.remembered, undefined);
});

test('an update that fails is reported as far as it came, and the old version says hello', () => {
  const native = playWakes('native', ['failed-update'], 3);
  assert.ok(native.words.some((word) => word.startsWith('say update') && word.includes('"restarting"')));
  const versions = native.words.filter(isHello).map((word) => helloOf(word).firmware);
  assert.equal([...new Set(versions)], ['3.0.21']);
  const fielded = playWakes('classic', ['failed-update'], 5);
  assert.is(fielded.last.firmware, '3.0.21');
  assert.not(fielded.words.includes('sleep 1 reset'));
  assert.is(playWakes('classic', [], 5).last.firmware, '4.0.0');
});

test('old native firmware takes no firmware, resumes nothing, and draws what it has', () => {
  const { words, last } = playWakes('native', ['old-firmware', 'half-download'], 3);
  assert.is(last.firmware, '0.9.0');
  assert.not(words.some((word) => word.includes(' from ') || word.startsWith('say update')));
});

test('old fielded firmware reports in the older form, and takes an update like any other', () => {
  const { words, last } = playWakes('classic', ['old-firmware'], 5);
  assert.match(String(words.findLast((word) => word.startsWith('say activateepaper'))), '"v": "4.0.0"');
  assert.is(last.firmware, '4.0.0');
  const story = frameStory(classicFrame(), ['old-firmware']);
  story.wakes('button');
  const [, report = ''] = story.linkComesUp();
  assert.match(report, '"fw": "3.0.9"');
  assert.match(report, '"wake": "BUTTON"');
  story.hears('receive', { act: 'activated', timeout: 600, t: 1, url: '/f/a' });
  story.probeAnswers();
  const bitmap = nibbleFile(1);
  bitmap.set([0x42, 0x4d]);
  assert.equal(story.downloads(bitmap), ['connect']);
  assert.match(String(story.linkComesUp()[1]), 'update_failed');
});

test('old firmware of a frame that polls is the oldest that is played', () => {
  const story = frameStory(pollingFrame('1.8.15', { key: undefined }), ['old-firmware']);
  story.wakes('timer');
  const [call = ''] = story.happens({ kind: 'joined', isIn: true });
  assert.match(call, /\/api\/setup\/$/);
  assert.is(story.trmnl().does.version, '1.5.2');
});

test.run();
