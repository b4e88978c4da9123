/** Firmware versions and the classic manifest, as both kinds of frame read them. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeClassicManifest, encodeClassicManifest } from '../../firmware-protocol/classic-manifest.ts';
import { isFirmwareVersion, isNewerFirmware } from '../../firmware-protocol/firmware-version.ts';
import { bytesOf, classic } from './read-vectors.ts';

const test = suite('firmware on the wire');

test('versions are compared by number, and what comes before a release is less (semver.org, section 11)', () => {
  const rising = [
    '0.9.10',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.9.0',
    '1.10.0',
    '3.0.21',
    '10.0.0',
  ];
  for (const [a, one] of rising.entries()) {
    for (const [b, other] of rising.entries()) assert.is(isNewerFirmware(one, other), a > b, `${one} than ${other}`);
  }
  assert.is(isNewerFirmware('1.0.0+build.9', '1.0.0'), false, 'a build is no newer version');
});

test('an invalid semantic version is newer than nothing, and nothing is newer than it', () => {
  const wrong = ['', 'dev', '1', '1.2', 'v1.2.3', '01.2.3', '1.2.3.4', '1.2.3-', '1.2.3-01', '1.2.3 ', ' 1.2.3'];
  wrong.push('1.2.3\n', '1.2.1234567890', `1.2.3-${'a'.repeat(27)}`, '-1.2.3', '1.2.3-a..b', '१.0.0');
  for (const text of wrong) {
    assert.is(isFirmwareVersion(text), false, JSON.stringify(text));
    assert.is(isNewerFirmware(text, '0.0.1'), false, text);
    assert.is(isNewerFirmware('9.9.9', text), false, text);
  }
});

for (const { why, text, offers, problem } of classic.manifests) {
  test(`manifest: ${why}`, () => {
    const read = decodeClassicManifest(bytesOf({ text }));
    if (offers !== undefined) assert.equal(read, { ok: true, value: offers });
    else assert.ok(!read.ok && problem !== undefined && read.problem.includes(problem));
  });
}

test('the manifest is written as in the first vector; what a frame would refuse is never written', () => {
  const [first] = classic.manifests;
  if (first?.offers === undefined) throw new Error('the first vector is the manifest that is written');
  assert.is(new TextDecoder().decode(encodeClassicManifest(first.offers)), first.text);
  assert.throws(() => encodeClassicManifest({ version: '3.1.0', url: 'https://host/a' }), /plain http/);
  assert.throws(() => encodeClassicManifest({ version: 'newest', url: 'http://host/a' }), /not a firmware version/);
});

test('no bytes whatever make reading a manifest throw', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json().map((text) => bytesOf({ text })),
        fc.uint8Array(),
      ),
      (bytes) => {
        assert.type(decodeClassicManifest(bytes).ok, 'boolean');
      },
    ),
    { numRuns: 500 },
  );
});

test.run();
