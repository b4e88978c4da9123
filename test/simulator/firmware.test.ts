/** How simulated frames take a firmware: native by an offer, classic by the manifest of every wake. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeClassicManifest } from '../../firmware-protocol/classic-manifest.ts';
import { digestOf } from '../../simulator/frame/frame.ts';
import { classicFrame, frameStory, nativeFrame, nibbleFile } from './frame-story.ts';

const test = suite('firmware on simulated frames');
const image = new Uint8Array(5000).fill(7);
const firmware = {
  offer: 'o1',
  version: '3.1.0',
  url: 'http://127.0.0.1:3000/firmware/a',
  bytes: image.length,
  sha256: digestOf(image),
};
const desired = { time: 1, settings: { sleepSeconds: 900 }, firmware };

function native(behaviours: readonly string[] = []) {
  const story = frameStory(nativeFrame(), behaviours);
  story.wakes();
  story.linkComesUp();
  return story;
}

test('a native frame fetches, checks, tells each phase, and restarts into the new version', () => {
  const story = native();
  const begun = story.hears('desired', desired);
  assert.equal(begun, ['say update {"offer":"o1","phase":"fetching"}', `get whole ${firmware.url}`]);
  assert.equal(story.downloads(image), [
    'say update {"offer":"o1","phase":"fetched"}',
    'say update {"offer":"o1","phase":"restarting"}',
    'say bye {"sleepSeconds":1}',
    'disconnect',
    'sleep 1 reset',
  ]);
  story.wakes('reset', 1);
  assert.match(String(story.linkComesUp()[1]), '"firmware":"3.1.0"');
});

test('what is cut off, damaged or not there is reported as failed, and not tried again in this wake', () => {
  const damaged = image.slice().fill(8, 100, 101);
  const wrong: readonly [body: Uint8Array, more: object, reason: string][] = [
    [image.subarray(0, 2500), { complete: false }, '2500 of 5000 bytes came'],
    [damaged, {}, 'the digest differs'],
    [new Uint8Array(0), { status: 404 }, 'HTTP 404'],
  ];
  for (const [body, more, reason] of wrong) {
    const story = native();
    story.hears('desired', desired);
    const told = JSON.stringify({ offer: 'o1', phase: 'failed', reason });
    assert.equal(story.downloads(body, more), [`say update ${told}`, 'timer linger 300']);
    assert.equal(story.hears('desired', desired), ['timer linger 300']);
    story.timerRings('linger');
    story.wakes();
    assert.match(String(story.linkComesUp()[1]), '"firmware":"3.0.21"');
    assert.match(String(story.hears('desired', desired)[0]), 'fetching');
  }
});

test('the picture comes first, and one that is pushed during the firmware waits for the next wake', () => {
  const green = nibbleFile(2);
  const picture = (fileVersion: number) => ({
    upload: `u${fileVersion}`,
    fileVersion,
    url: `http://127.0.0.1:3000/f/${fileVersion}`,
    bytes: green.length,
    sha256: digestOf(green),
    format: 'nibble',
  });
  const story = native();
  assert.equal(story.hears('desired', { ...desired, picture: picture(7) }), ['get whole http://127.0.0.1:3000/f/7']);
  story.downloads(green);
  assert.equal(story.draws().at(-1), `get whole ${firmware.url}`);
  assert.equal(story.hears('desired', { ...desired, picture: picture(8) }), []);
  assert.equal(story.timerRings('linger'), [], 'it does not fall asleep over it');
  assert.equal(story.downloads(image).at(-1), 'sleep 1 reset');
});

test('a bricked frame takes the firmware, says that it restarts, and is never heard from again', () => {
  const story = native(['bricked']);
  story.hears('desired', desired);
  assert.equal(story.downloads(image).at(-1), 'sleep for ever reset');
  const classic = frameStory(classicFrame({ manifestUrl }), ['bricked']);
  classic.wakes();
  classic.downloads(manifest('3.1.0'));
  assert.equal(classic.downloads(image), ['sleep for ever reset']);
});

const manifestUrl = 'http://127.0.0.1:3000/ota/epd7';
const manifest = (version: string) => encodeClassicManifest({ version, url: firmware.url });

test('a classic frame asks for the manifest at every wake, before the broker; anything wrong means no update (W-33)', () => {
  const story = frameStory(classicFrame({ manifestUrl }));
  const answers: (() => string[])[] = [
    () => story.downloads(new Uint8Array(0), { status: 404 }),
    () => story.downloads(manifest('3.0.21')),
    () => story.downloads(new TextEncoder().encode('<html>')),
    () => story.downloads(manifest('3.1.0'), { complete: false }),
    () => story.happens({ kind: 'download failed', why: 'no answer in time' }),
  ];
  for (const answer of answers) {
    assert.equal(story.wakes(), [`get whole ${manifestUrl}`]);
    assert.equal(answer(), ['connect']);
    story.timerRings('failsafe');
  }
});

test('a newer version is fetched, unchecked, and the frame restarts without version, activation and sleep', () => {
  const story = frameStory(classicFrame({ manifestUrl, fileVersion: 100, sleepSeconds: 600 }));
  story.wakes();
  assert.equal(story.downloads(manifest('3.1.0')), [`get whole ${firmware.url}`]);
  assert.equal(story.downloads(image), ['sleep 1 reset']);
  const { firmware: version, fileVersion, activated, sleepSeconds } = story.classic();
  assert.equal([version, fileVersion, activated, sleepSeconds], ['3.1.0', 0, false, 3600]);
  story.wakes('reset', 1);
  story.downloads(manifest('3.1.0'));
  assert.match(String(story.linkComesUp()[1]), '"v": "3.1.0","file": "0"');
});

test('a broken image means no update: the wake goes on', () => {
  const story = frameStory(classicFrame({ manifestUrl }));
  story.wakes();
  story.downloads(manifest('3.1.0'));
  assert.equal(story.downloads(image, { complete: false }), ['connect']);
  assert.match(String(story.linkComesUp()[1]), '"v": "3.0.21"');
});

test('a liar lies about pictures; its firmware is real', () => {
  const story = frameStory(classicFrame({ manifestUrl }), ['liar']);
  assert.equal(story.wakes(), [`get whole ${manifestUrl}`]);
  assert.match(String(native(['liar']).hears('desired', desired)[1]), firmware.url);
});

test.run();
