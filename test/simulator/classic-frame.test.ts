import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClassicState } from '../../simulator/dialects/classic/classic-state.ts';
import { classicFrame, frameStory, serial } from './frame-story.ts';

const test = suite('classic frame: wake cycle');
const request = 'say getimageurl {"func": "request"}';
const wait = 'timer answer 5000';
const deactivate = 'say activateepaper {"act": 0}';

/** A frame that has sent its first report. */
function reporting(changes: Partial<ClassicState> = {}) {
  const story = frameStory(classicFrame({ fileVersion: 100, ...changes }));
  story.wakes();
  const said = story.linkComesUp();
  return { said, story };
}

test('a wake connects, subscribes with QoS 0, and reports in the words of the fielded firmware (section 4.1)', () => {
  const story = frameStory(classicFrame({ fileVersion: 1_760_000_000, sleepSeconds: 900 }));
  assert.equal(story.wakes(), ['connect']);
  assert.equal(story.linkComesUp(), [
    'subscribe receive qos 0',
    'say activateepaper {"act": 1,"v": "3.0.21","file": "1760000000","bat": "6000","wake": "3","wifi": "1, -61",' +
      '"usb": "0","orient": "0","timeout": "900","timeoutPredict": "900"}',
    wait,
  ]);
});

test('W-22: the report is repeated every 5 s, seven times in all, word for word', () => {
  const { story, said } = reporting();
  const report = said[1]?.split('"bat"')[0];
  for (let tries = 2; tries <= 7; tries++) assert.ok(story.timerRings('answer')[0]?.startsWith(String(report)));
  assert.equal(story.timerRings('answer'), []);
  assert.equal(story.classic().phase.name, 'stuck');
});

test('W-21: seconds without an answer count as awake time and empty the battery', () => {
  const { story } = reporting();
  const before = story.state.batteryMv;
  story.timerRings('failsafe', 180);
  assert.is(story.state.awakeSeconds, 180);
  assert.ok(story.state.batteryMv < before);
  assert.ok(story.state.asleep);
});

test('W-01: activated without t hangs, deaf, until the failsafe', () => {
  const { story } = reporting();
  assert.equal(story.hears('receive', { act: 'activated', timeout: 600 }), []);
  assert.equal(story.hears('receive', { t: 101, url: '/f/a' }), []);
  assert.equal(story.timerRings('failsafe', 180), ['sleep 600 timer']);
});

test('W-01: a t that came before the activation counts', () => {
  const { story } = reporting();
  story.hears('receive', { t: 100 });
  assert.equal(story.hears('receive', { act: 'activated', timeout: 600 }), ['sleep 600 timer']);
});

test('W-02: an url with a newer t saves the wait; the frame leaves the broker and probes', () => {
  const { story } = reporting();
  assert.equal(story.hears('receive', { act: 'activated', timeout: 600, t: 101, url: '/f/k3Zq81Lw' }), [
    'disconnect',
    'get headers http://127.0.0.1:3000/f/k3Zq81Lw',
  ]);
});

test('W-02: without url it waits 5 s, then asks five times, 7.5 s apart, and fails with the panel unchanged', () => {
  const { story } = reporting();
  assert.equal(story.hears('receive', { act: 'activated', timeout: 600, t: 101 }), [wait]);
  for (let tries = 1; tries <= 5; tries++) {
    assert.equal(story.timerRings('answer', 5), [request, 'timer answer 7500']);
  }
  const glass = story.state.glass;
  assert.equal(story.timerRings('answer', 8), ['say updatestate {"state": "update_failed"}', 'sleep 600 timer']);
  assert.is(story.state.fileVersion, 100);
  assert.is(story.state.glass, glass);
});

test('W-02: the url asked for starts the download', () => {
  const { story } = reporting();
  story.hears('receive', { act: 'activated', timeout: 600, t: 101 });
  story.timerRings('answer', 5);
  assert.equal(story.hears('receive', { url: '/f/b' }), ['disconnect', 'get headers http://127.0.0.1:3000/f/b']);
});

test('W-03: an url before the activation makes every report left go out at once', () => {
  const { story } = reporting();
  const said = story.hears('receive', { url: '/f/a' });
  assert.is(said.length, 6);
  assert.ok(said.every((words) => words.startsWith('say activateepaper {"act": 1')));
});

test('W-04: prefix and url of 50 characters crash the frame, 49 do not', () => {
  const url = `/${'f'.repeat(27)}`;
  const good = reporting().story;
  assert.is(good.hears('receive', { act: 'activated', timeout: 600, t: 101, url })[0], 'disconnect');
  const bad = reporting().story;
  assert.equal(bad.hears('receive', { act: 'activated', timeout: 600, t: 101, url: `${url}f` }), ['sleep 3600 timer']);
  assert.is(bad.state.crashes, 1);
  assert.ok(bad.traces.includes('crashed'));
});

test('W-05: a packet of 513 bytes crashes the frame, 512 do not', () => {
  const topic = `$aws/things/${serial}/epaper/receive`;
  const room = 512 - (1 + 2 + 2 + topic.length);
  const message = (bytes: number): string => `{"x":"${'y'.repeat(bytes - 8)}"}`;
  const { story } = reporting();
  assert.equal(story.hears('receive', message(room)), []);
  assert.is(story.state.crashes, 0);
  assert.equal(story.hears('receive', message(room + 1)), ['sleep 3600 timer']);
  assert.is(story.state.crashes, 1);
});

for (const [why, answer, slept] of [
  ['t as text', { act: 'activated', timeout: 600, t: '101' }, undefined],
  ['t in milliseconds', { act: 'activated', timeout: 600, t: 1_760_000_000_000 }, undefined],
  ['timeout as text', { act: 'activated', timeout: '600', t: 100 }, 3600],
  ['timeout as a fraction', { act: 'activated', timeout: 600.5, t: 100 }, 3600],
] as const) {
  test(`W-06: ${why} is ignored`, () => {
    const { story } = reporting();
    const done = story.hears('receive', answer);
    assert.equal(done, slept === undefined ? [] : [`sleep ${slept} timer`]);
    assert.is(story.classic().phase.name, slept === undefined ? 'stuck' : 'asleep');
  });
}

test('W-06: bytes that are not a JSON object, and an activation of a wrong type, change nothing', () => {
  const { story } = reporting();
  for (const noise of ['{', '[]', '7', 'null', { act: 1 }]) assert.equal(story.hears('receive', noise), []);
  assert.is(story.classic().phase.name, 'reporting');
});

test('W-16: without a newer version the frame says nothing and sleeps without DISCONNECT (W-26)', () => {
  for (const t of [100, 99]) {
    const { story } = reporting();
    assert.equal(story.hears('receive', { act: 'activated', timeout: 600, t }), ['sleep 600 timer']);
  }
});

test('section 5: t of 0 or less draws "no picture" at every wake and says nothing', () => {
  for (const t of [0, -5]) {
    const { story } = reporting();
    assert.equal(story.hears('receive', { act: 'activated', timeout: 600, t }), ['draw']);
    assert.equal(story.draws(), ['sleep 600 timer']);
    assert.equal(story.state.glass, { shows: 'screen', screen: 'no picture' });
    assert.is(story.state.fileVersion, 100);
  }
});

test('W-20: an answer without timeout leaves the boot default of 3600 s', () => {
  const { story } = reporting({ sleepSeconds: 900 });
  assert.equal(story.hears('receive', { act: 'activated', t: 100 }), ['sleep 3600 timer']);
  assert.is(story.state.sleepSeconds, 3600);
});

test('a timeout below 60 s becomes 60', () => {
  const { story } = reporting();
  assert.equal(story.hears('receive', { act: 'activated', timeout: 5, t: 100 }), ['sleep 60 timer']);
});

test('section 9: moved in its sleep, with unchanged settings, a frame only finishes the interval it was in', () => {
  const story = frameStory(classicFrame({ fileVersion: 100, sleepSeconds: 600, lastFullWakeMs: 0 }));
  story.wakes('motion', 200);
  story.linkComesUp();
  assert.equal(story.hears('receive', { act: 'activated', timeout: 600, t: 100 }), ['sleep 400 timer']);
});

test('W-23: while it waits for the url, a later t replaces the pending one', () => {
  const { story } = reporting();
  story.hears('receive', { act: 'activated', timeout: 600, t: 101 });
  story.hears('receive', { t: 105 });
  story.hears('receive', { url: '/f/b' });
  assert.is(story.classic().cycle.t, 105);
});

test('W-17: not_started wipes an activated frame, after the act 0 exchange, until somebody presses its button', () => {
  const { story } = reporting({ sleepSeconds: 900 });
  assert.equal(story.hears('receive', { act: 'not_started' }), [deactivate, wait]);
  assert.is(story.state.factoryResets, 1);
  assert.equal(story.hears('receive', { act: 'reset' }), ['sleep until button button']);
  assert.is(story.state.fileVersion, 0);
  assert.is(story.state.sleepSeconds, 3600);
  assert.not(story.classic().activated);
});

test('W-36: after a fresh WiFi set-up act 0 comes before the report, in the same connection', () => {
  const { said, story } = reporting({ activated: false, freshWifi: true });
  assert.equal(said.slice(1), [deactivate, wait]);
  assert.equal(story.timerRings('answer', 5), [deactivate, wait]);
  assert.ok(story.hears('receive', { act: 'reset' })[0]?.startsWith('say activateepaper {"act": 1'));
  assert.not(story.classic().freshWifi);
});

test('section 9: an unpaired frame sleeps 20 s, shows how to pair on every third round, and gives up after ten', () => {
  const story = frameStory(classicFrame({ activated: false }));
  const rounds = Array.from({ length: 10 }, () => {
    story.wakes();
    story.linkComesUp();
    const done = story.hears('receive', { act: 'not_started' });
    return done[0] === 'draw' ? ['draw', ...story.draws()] : done;
  });
  const shows = ['draw', 'sleep 20 timer'];
  const sleeps = ['sleep 20 timer'];
  const three = [sleeps, sleeps, shows];
  assert.equal(rounds, [...three, ...three, ...three, ['sleep until button button']]);
  assert.is(story.state.factoryResets, 0);
});

test('an unpaired frame that gets activated becomes activated', () => {
  const { story } = reporting({ activated: false });
  story.hears('receive', { act: 'activated', timeout: 600, t: 100 });
  assert.ok(story.classic().activated);
});

test('section 7: without a broker it tries 21 times, 300 ms apart, and sleeps 3600 s whatever is stored', () => {
  const story = frameStory(classicFrame({ sleepSeconds: 900 }));
  story.wakes();
  for (let attempt = 1; attempt < 21; attempt++) {
    assert.equal(story.happens({ kind: 'link lost', why: 'refused' }), ['timer reconnect 300']);
    assert.equal(story.timerRings('reconnect'), ['connect']);
  }
  assert.equal(story.happens({ kind: 'link lost', why: 'refused' }), ['sleep 3600 timer']);
});

test('section 7: below 4200 mV it sleeps 86000 s without connecting', () => {
  assert.equal(frameStory(classicFrame({ batteryMv: 4199 })).wakes(), ['sleep 86000 timer']);
});

test('a link lost while reporting is opened again and the next report goes out', () => {
  const { story } = reporting();
  assert.equal(story.happens({ kind: 'link lost', why: 'reset' }), ['connect']);
  assert.ok(story.linkComesUp()[1]?.startsWith('say activateepaper {"act": 1'));
});

test.run();
