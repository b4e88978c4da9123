import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NativeState } from '../../simulator/dialects/native/native-state.ts';
import { digestOf } from '../../simulator/frame/frame.ts';
import { type FrameStory, frameStory, nativeFrame, nibbleFile } from './frame-story.ts';

const test = suite('native frame');
const green = nibbleFile(2);
const digest = digestOf(green);
const linger = 'timer linger 300';

function desired(fileVersion?: number, changes: { sha256?: string; bytes?: number } = {}) {
  const picture = {
    upload: `u${fileVersion}`,
    fileVersion,
    url: `http://127.0.0.1:3000/f/${fileVersion}`,
    bytes: green.length,
    sha256: digest,
    format: 'nibble',
    ...changes,
  };
  return { time: 1, settings: { sleepSeconds: 900 }, ...(fileVersion === undefined ? {} : { picture }) };
}

/** A frame that has sent hello. */
function greeted(changes: Partial<NativeState> = {}): FrameStory {
  const story = frameStory(nativeFrame(changes));
  story.wakes();
  story.linkComesUp();
  return story;
}

function said(words: readonly string[], name: string): Record<string, unknown>[] {
  const start = `say ${name} `;
  return words.filter((word) => word.startsWith(start)).map((word) => JSON.parse(word.slice(start.length)));
}

test('a wake connects, subscribes to desired and command with QoS 1, and says hello', () => {
  const story = frameStory(nativeFrame({ boots: 4 }));
  assert.equal(story.wakes(), ['connect']);
  const words = story.linkComesUp();
  assert.is(words[0], 'subscribe desired command qos 1');
  assert.equal(said(words, 'hello'), [
    {
      boot: 5,
      firmware: '3.0.21',
      panel: 'epd7',
      fileVersion: 0,
      pictureSynced: false,
      batteryMv: 6000,
      rssi: -61,
      wake: 'timer',
      orientation: 0,
      sleepSeconds: 3600,
    },
  ]);
});

test('a newer picture is downloaded, checked, reported fetched, drawn, and reported shown with its digest', () => {
  const story = greeted();
  assert.equal(story.hears('desired', desired(7)), ['get whole http://127.0.0.1:3000/f/7']);
  const checked = story.downloads(green);
  assert.equal(said(checked, 'report'), [{ upload: 'u7', fileVersion: 7, stage: 'fetched', pictureSynced: false }]);
  assert.is(checked.at(-1), 'draw');
  assert.is(story.state.fileVersion, 0, 'stored only once it is drawn');
  const drawn = story.draws();
  assert.equal(said(drawn, 'report'), [
    { upload: 'u7', fileVersion: 7, stage: 'shown', sha256: digest, pictureSynced: true },
  ]);
  assert.is(drawn.at(-1), linger);
  assert.equal(story.state.glass, { shows: 'picture', file: green, sha256: digest });
  assert.equal(story.timerRings('linger'), ['say bye {"sleepSeconds":900}', 'disconnect', 'sleep 900 timer']);
});

test('the next hello tells the version and the digest on the glass', () => {
  const story = greeted({ fileVersion: 7, picture: { file: green, sha256: digest } });
  story.hears('desired', desired());
  story.timerRings('linger');
  story.wakes('timer', 900);
  const [hello] = said(story.linkComesUp(), 'hello');
  assert.is(hello?.fileVersion, 7);
  assert.is(hello?.sha256, digest);
  assert.is(hello?.pictureSynced, true);
  assert.is(hello?.sleepSeconds, 900);
});

test('the very picture on the glass under a newer version is reported shown without a refresh', () => {
  const story = greeted({ fileVersion: 7, picture: { file: green, sha256: digest } });
  story.hears('desired', desired(8));
  const words = story.downloads(green);
  assert.equal(
    said(words, 'report').map((report) => [report.stage, report.fileVersion, report.sha256]),
    [
      ['fetched', 8, digest],
      ['shown', 8, digest],
    ],
  );
  assert.not(words.includes('draw'));
  assert.is(story.state.refreshes, 0);
  assert.is(story.state.fileVersion, 8);
});

test('a version that is not newer is not fetched', () => {
  for (const version of [6, 7]) {
    const story = greeted({ fileVersion: 7 });
    assert.equal(story.hears('desired', desired(version)), [linger]);
  }
});

const short = green.slice(0, 1000);
for (const [why, fail, reason] of [
  ['404', (story: FrameStory) => story.downloads(green, { status: 404 }), 'HTTP 404'],
  ['a refused connection', (s: FrameStory) => s.happens({ kind: 'download failed', why: 'refused' }), 'refused'],
  ['a body cut short', (s: FrameStory) => s.downloads(short, { complete: false }), '1000 of 192004 bytes came'],
  ['other bytes', (story: FrameStory) => story.downloads(nibbleFile(3)), 'the digest differs'],
] as const) {
  test(`${why} is reported failed with its reason, the version stays, and it is not tried again in this wake`, () => {
    const story = greeted({ fileVersion: 3 });
    story.hears('desired', desired(7));
    const [report] = said(fail(story), 'report');
    assert.is(report?.stage, 'failed');
    assert.is(report?.reason, reason);
    assert.is(story.state.fileVersion, 3);
    assert.is(story.state.refreshes, 0);
    assert.equal(story.hears('desired', desired(7)), [linger]);
    story.timerRings('linger');
    story.wakes();
    story.linkComesUp();
    assert.equal(story.hears('desired', desired(7)), ['get whole http://127.0.0.1:3000/f/7']);
  });
}

test('an unchanged picture that is on the glass is confirmed without a download or a refresh, another is fetched', () => {
  const story = greeted();
  story.hears('desired', desired(7));
  story.downloads(green);
  story.draws();
  const unchanged = (version: number, changes: object = {}) => {
    const message = desired(version, changes);
    return { ...message, picture: { ...message.picture, unchanged: true } };
  };
  const words = story.hears('desired', unchanged(8));
  assert.equal(
    said(words, 'report').map(({ fileVersion, stage, sha256 }) => [fileVersion, stage, sha256]),
    [[8, 'shown', digest]],
  );
  assert.is(words.at(-1), linger);
  assert.equal([story.state.fileVersion, story.state.refreshes], [8, 1]);
  assert.match(String(story.hears('desired', unchanged(9, { sha256: 'f'.repeat(64) }))[0]), /^get whole/);
});

const torn = { complete: false, partsOffered: true } as const;

test('a download that breaks off is resumed once where parts are offered, and the joined file is checked', () => {
  const story = greeted();
  story.hears('desired', desired(7));
  const again = ['get whole http://127.0.0.1:3000/f/7 from 1000'];
  assert.equal(story.downloads(short, torn), again);
  const words = story.downloads(green.subarray(1000), { status: 206, partsOffered: true });
  assert.is(said(words, 'report')[0]?.stage, 'fetched');
  assert.is(words.at(-1), 'draw');
  story.draws();
  assert.is(story.state.picture?.sha256, digest);
});

for (const [why, fail, reason] of [
  ['breaks off again', (s: FrameStory) => s.downloads(short, { ...torn, status: 206 }), '2000 of 192004 bytes came'],
  ['is another part', (s: FrameStory) => s.downloads(green.subarray(999), { status: 206 }), '192005 of 192004'],
  ['is refused', (s: FrameStory) => s.downloads(new Uint8Array(0), { status: 416 }), 'HTTP 416'],
] as const) {
  test(`a rest that ${why} is reported failed`, () => {
    const story = greeted();
    story.hears('desired', desired(7));
    story.downloads(short, torn);
    const [report] = said(fail(story), 'report');
    assert.is(report?.stage, 'failed');
    assert.match(String(report?.reason), reason);
  });
}

test('a server that answers the rest with the whole file is as good', () => {
  const story = greeted();
  story.hears('desired', desired(7));
  story.downloads(short, torn);
  assert.is(said(story.downloads(green), 'report')[0]?.stage, 'fetched');
});

test('a file that does not fit the panel is refused although its digest is right', () => {
  const story = greeted();
  story.hears('desired', desired(7, { bytes: short.length, sha256: digestOf(short) }));
  const [report] = said(story.downloads(short), 'report');
  assert.is(report?.stage, 'failed');
  assert.match(String(report?.reason), 'epd7 takes 192004 bytes');
});

test('turned five times while drawing, a frame reports failed', () => {
  const story = greeted();
  story.hears('desired', desired(7));
  story.downloads(green);
  for (let draws = 1; draws < 5; draws++) assert.equal(story.draws(true), ['draw']);
  assert.is(said(story.draws(true), 'report')[0]?.stage, 'failed');
  assert.equal(story.state.glass, { shows: 'nothing' });
});

test('a newer picture pushed during the work is taken right after it; the same one again is not', () => {
  const story = greeted();
  story.hears('desired', desired(7));
  assert.equal(story.hears('desired', desired(7)), []);
  assert.equal(story.hears('desired', desired(9)), []);
  story.downloads(green);
  assert.is(story.draws().at(-1), 'get whole http://127.0.0.1:3000/f/9');
});

test('a picture pushed while the frame lingers is fetched', () => {
  const story = greeted();
  assert.equal(story.hears('desired', desired()), [linger]);
  assert.equal(story.hears('desired', desired(7)), ['get whole http://127.0.0.1:3000/f/7']);
  assert.equal(story.timerRings('linger'), []);
});

test('a report that finds no link is sent after the next hello', () => {
  const story = greeted();
  story.hears('desired', desired(7));
  story.downloads(green);
  assert.equal(story.happens({ kind: 'link lost', why: 'reset' }), ['timer reconnect 1000']);
  assert.equal(said(story.draws(), 'report'), []);
  assert.equal(story.timerRings('reconnect'), ['connect']);
  const words = story.linkComesUp();
  assert.is(said(words, 'hello')[0]?.fileVersion, 7);
  assert.equal(
    said(words, 'report').map((report) => report.stage),
    ['shown'],
  );
});

test('hello is said three times, 5 s apart; then the frame says bye', () => {
  const story = greeted();
  assert.is(said(story.timerRings('answer', 5), 'hello').length, 1);
  assert.is(said(story.timerRings('answer', 5), 'hello').length, 1);
  assert.equal(story.timerRings('answer', 5), ['say bye {"sleepSeconds":3600}', 'disconnect', 'sleep 3600 timer']);
});

test('without a broker it tries five times and sleeps', () => {
  const story = frameStory(nativeFrame({ sleepSeconds: 900 }));
  story.wakes();
  for (let connects = 1; connects < 5; connects++) {
    assert.equal(story.happens({ kind: 'link lost', why: 'refused' }), ['timer reconnect 1000']);
  }
  assert.equal(story.happens({ kind: 'link lost', why: 'refused' }), ['sleep 900 timer']);
});

test('the failsafe ends a wake that hangs', () => {
  const story = greeted();
  story.hears('desired', desired(7));
  assert.equal(story.timerRings('failsafe', 180).slice(1), ['disconnect', 'sleep 900 timer']);
});

test('ping and identify are replied to with what the frame knows of itself', () => {
  for (const name of ['ping', 'identify']) {
    const [reply] = said(greeted({ fileVersion: 7 }).hears('command', { id: 'c1', name }), 'reply');
    assert.equal(reply, {
      command: 'c1',
      ok: true,
      data: { batteryMv: 6000, rssi: -61, fileVersion: 7, panel: 'epd7', firmware: '3.0.21' },
    });
  }
});

test('reboot replies, says bye, and comes back as a reset; the same command again is only replied to', () => {
  const story = greeted();
  const words = story.hears('command', { id: 'c1', name: 'reboot' });
  assert.ok(words[0]?.startsWith('say reply {"command":"c1","ok":true'));
  assert.equal(words.slice(1), ['say bye {"sleepSeconds":1}', 'disconnect', 'sleep 1 reset']);
  story.wakes('reset', 1);
  assert.is(said(story.linkComesUp(), 'hello')[0]?.wake, 'reset');
  assert.is(said(story.hears('command', { id: 'c1', name: 'reboot' }), 'reply').length, 1);
  assert.not(story.state.asleep);
});

test('reset restores the sleep setting and keeps the picture', () => {
  const story = greeted({ fileVersion: 7, sleepSeconds: 900 });
  const [reply] = said(story.hears('command', { id: 'c1', name: 'reset' }), 'reply');
  assert.equal(reply, { command: 'c1', ok: true, data: { sleepSeconds: 3600 } });
  assert.is(story.state.sleepSeconds, 3600);
  assert.is(story.state.fileVersion, 7);
});

test('what cannot be decoded is logged and otherwise ignored', () => {
  const story = greeted();
  const words = story.hears('desired', '{"time":');
  assert.equal(said(words, 'log'), [{ level: 'warn', message: 'desired: not JSON in UTF-8' }]);
  assert.is(story.state.sleepSeconds, 3600);
});

test('the same events yield the same state and effects', () => {
  const run = () => {
    const story = greeted();
    const effects = [story.hears('desired', desired(7)), story.downloads(green), story.draws()];
    return { effects, state: story.state };
  };
  assert.equal(run(), run());
});

test.run();
