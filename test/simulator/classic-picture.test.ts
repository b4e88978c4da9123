import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClassicState } from '../../simulator/dialects/classic/classic-state.ts';
import { digestOf } from '../../simulator/frame/frame.ts';
import { classicFrame, type FrameStory, frameStory, nibbleFile, urlPrefix } from './frame-story.ts';

const test = suite('classic frame: picture');
const probe = `get headers ${urlPrefix}/f/a`;
const get = `get whole ${urlPrefix}/f/a`;
const ok = ['say updatestate {"state": "update_ok"}', 'sleep 600 timer'];
const failed = ['say updatestate {"state": "update_failed"}', 'sleep 600 timer'];
const old = { file: nibbleFile(3), sha256: digestOf(nibbleFile(3)) };

/** A frame that has left the broker and probes version 101; it shows version 100 unless the test wants otherwise. */
function probing(changes: Partial<ClassicState> = {}): FrameStory {
  const glass = { shows: 'picture', ...old } as const;
  const story = frameStory(classicFrame({ fileVersion: 100, picture: old, glass, ...changes }));
  story.wakes();
  story.linkComesUp();
  story.hears('receive', { act: 'activated', timeout: 600, t: 101, url: '/f/a' });
  return story;
}

function reconnects(story: FrameStory): string[] {
  return story.linkComesUp().slice(1);
}

test('W-07, W-13: two GETs, then it draws, reconnects, and says update_ok without a version (W-14)', () => {
  const story = probing();
  const file = nibbleFile(2);
  assert.equal(story.probeAnswers(), [get]);
  assert.equal(story.downloads(file), ['draw']);
  assert.is(story.state.fileVersion, 100, 'stored only once it is drawn');
  assert.equal(story.draws(), ['connect']);
  assert.equal(reconnects(story), ok);
  assert.is(story.state.fileVersion, 101);
  assert.equal(story.state.glass, { shows: 'picture', file, sha256: digestOf(file) });
  assert.is(story.state.refreshes, 1);
});

test('W-15: the version drawn is echoed as file of the next wake', () => {
  const story = probing();
  story.probeAnswers();
  story.downloads(nibbleFile(2));
  story.draws();
  reconnects(story);
  story.wakes('timer', 600);
  assert.match(String(story.linkComesUp()[1]), '"file": "101"');
});

test('W-07: six rounds of two GETs on connection errors, on the same url', () => {
  const story = probing();
  for (let round = 1; round < 6; round++) {
    assert.equal(story.probeAnswers(), [get]);
    assert.equal(story.happens({ kind: 'download failed', why: 'reset' }), [probe]);
  }
  assert.equal(story.happens({ kind: 'download failed', why: 'reset' }), ['draw']);
});

test('W-40: after the last round an error text replaces the old picture; the version stays (W-11)', () => {
  const story = probing();
  for (let round = 1; round <= 6; round++) story.happens({ kind: 'download failed', why: 'refused' });
  assert.equal(story.draws(), ['connect']);
  assert.equal(reconnects(story), failed);
  assert.equal(story.state.glass, { shows: 'screen', screen: 'download failed' });
  assert.is(story.state.fileVersion, 100);
});

test('W-08: a 301 with an absolute address is followed, on the probe only; other redirects are not', () => {
  assert.equal(probing().probeAnswers(301, 'http://127.0.0.1:9/x'), ['get whole http://127.0.0.1:9/x']);
  assert.equal(probing().probeAnswers(301, '/x'), [get]);
  assert.equal(probing().probeAnswers(302, 'http://127.0.0.1:9/x'), [get]);
});

test('W-09: a body without length empties the picture store and is tried again', () => {
  const story = probing();
  story.probeAnswers();
  assert.equal(story.downloads(nibbleFile(2), { lengthKnown: false }), [probe]);
  assert.is(story.state.picture, undefined);
});

test('W-10: no patience runs out while a body stalls; only the failsafe ends it', () => {
  const story = probing();
  story.probeAnswers();
  assert.equal(story.timerRings('answer', 60), []);
  assert.equal(story.timerRings('failsafe', 120), ['sleep 600 timer']);
});

for (const status of [404, 403, 302, 500]) {
  test(`W-11: ${status} draws the old picture again, stores the new version and says update_ok`, () => {
    const story = probing();
    story.probeAnswers(status);
    assert.equal(story.downloads(new Uint8Array(9), { status }), ['draw']);
    assert.equal(story.draws(), ['connect']);
    assert.equal(reconnects(story), ok);
    assert.is(story.state.fileVersion, 101);
    assert.equal(story.state.glass, { shows: 'picture', ...old });
  });
}

test('W-11: 404 to a frame without any picture ends in update_failed and no new version', () => {
  const story = probing({ picture: undefined, glass: { shows: 'nothing' } });
  story.probeAnswers(404);
  assert.equal(story.downloads(new Uint8Array(0), { status: 404 }), ['connect']);
  assert.equal(reconnects(story), failed);
  assert.is(story.state.fileVersion, 100);
  assert.equal(story.state.glass, { shows: 'nothing' });
});

test('W-12: a truncated body is drawn as far as it came, the version stored, update_ok said', () => {
  const story = probing();
  story.probeAnswers();
  const file = nibbleFile(2);
  assert.equal(story.downloads(file.slice(0, 96_004), { complete: false }), ['draw']);
  story.draws();
  assert.equal(reconnects(story), ok);
  assert.is(story.state.fileVersion, 101);
  const { glass } = story.state;
  assert.is(glass.shows, 'picture');
  if (glass.shows !== 'picture') return;
  assert.is(glass.file.length, 192_004);
  assert.is(glass.file[96_003], 0x22);
  assert.is(glass.file[96_004], 0x66);
  assert.is.not(glass.sha256, digestOf(file));
});

test('panels section 1: a bitmap is taken, whatever its header says beyond the offset of its pixels', () => {
  const bitmap = new Uint8Array(192_118).fill(0x55);
  bitmap.set([0x42, 0x4d]);
  new DataView(bitmap.buffer).setUint32(0x0a, 118, true);
  const story = probing();
  story.probeAnswers();
  story.downloads(bitmap);
  story.draws();
  assert.is(story.state.glass.shows === 'picture' && story.state.glass.file.length, 192_118);
});

test('W-24: after the download it subscribes again and heeds nothing that is waiting there', () => {
  const story = probing();
  story.probeAnswers();
  story.downloads(nibbleFile(2));
  story.draws();
  assert.equal(story.happens({ kind: 'connected' }), ['subscribe receive qos 0']);
  assert.equal(story.hears('receive', { act: 'not_started', t: 200, url: '/f/c' }), []);
  assert.equal(story.happens({ kind: 'subscribed' }), ok);
  assert.is(story.state.factoryResets, 0);
});

test('W-26: it says its state on a second connection and sleeps without DISCONNECT', () => {
  const story = probing();
  story.probeAnswers();
  story.downloads(nibbleFile(2));
  assert.equal(story.draws(), ['connect']);
  assert.not(reconnects(story).includes('disconnect'));
});

test('W-30: turned while drawing it draws again; the fifth broken draw ends in update_failed', () => {
  const story = probing();
  story.probeAnswers();
  story.downloads(nibbleFile(2));
  for (let draws = 1; draws < 5; draws++) assert.equal(story.draws(true), ['draw']);
  assert.equal(story.draws(true), ['connect']);
  assert.equal(reconnects(story), failed);
  assert.is(story.state.fileVersion, 100);
  assert.equal(story.state.glass, { shows: 'picture', ...old });
});

test('section 7: the state is tried five times, 1 s apart; then it just sleeps', () => {
  const story = probing();
  story.probeAnswers();
  story.downloads(nibbleFile(2));
  story.draws();
  for (let attempt = 1; attempt < 5; attempt++) {
    assert.equal(story.happens({ kind: 'link lost', why: 'refused' }), ['timer reconnect 1000']);
    assert.equal(story.timerRings('reconnect', 1), ['connect']);
  }
  assert.equal(story.happens({ kind: 'link lost', why: 'refused' }), ['sleep 600 timer']);
  assert.is(story.state.fileVersion, 101);
});

test.run();
