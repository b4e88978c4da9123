/** Addresses of Immich servers and links of iCloud albums, as people paste them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isICloudHost, readICloudLink } from '../../api/picture-sources/icloud/read-icloud-link.ts';
import { readImmichAddress } from '../../api/picture-sources/immich/read-immich-address.ts';
import { seenKeys } from '../../api/picture-sources/seen-keys.ts';
import { epochOf, shiftedWallTime, wallTimeOf } from '../../api/picture-sources/wall-time.ts';
import { immichId } from './fake-immich.ts';

const test = suite('addresses of picture sources');

test('an address of an Immich server is read from any of its pages', () => {
  const server = 'https://photos.example';
  for (const written of [
    'https://photos.example',
    ' https://photos.example/ ',
    'photos.example',
    'https://photos.example/api',
    'https://photos.example/api/',
    'https://photos.example/photos?at=1#x',
    'https://photos.example/auth/login',
    'https://photos.example/user-settings?isOpen=api-keys',
  ]) {
    assert.equal(readImmichAddress(written), { server }, written);
  }
  assert.equal(readImmichAddress('https://home.example/immich/api'), { server: 'https://home.example/immich' });
  assert.equal(readImmichAddress('192.168.1.5:2283'), { server: 'http://192.168.1.5:2283' });
  assert.equal(readImmichAddress('nas:2283/photos'), { server: 'http://nas:2283' });
  assert.equal(readImmichAddress('[fd00::5]:2283'), { server: 'http://[fd00::5]:2283' });
  assert.equal(readImmichAddress('photos.local'), { server: 'http://photos.local' });
  assert.equal(readImmichAddress('photos.example:2283'), { server: 'http://photos.example:2283' });
  assert.equal(readImmichAddress(`https://photos.example/albums/${immichId('a')}`), { server, album: immichId('a') });
});

test('a shared link that is pasted in place of an address is recognized (IM-13)', () => {
  const server = 'https://photos.example';
  const key = 'Zk3-abcdefghijklmnop_0123456789';
  assert.equal(readImmichAddress(`${server}/share/${key}`), { server, link: { key } });
  assert.equal(readImmichAddress(`${server}/share/${key}/photos/${immichId('a')}`), { server, link: { key } });
  assert.equal(readImmichAddress(`${server}/s/our%20summer`), { server, link: { slug: 'our summer' } });
  for (const cut of ['/share', '/share/abc', '/s', '/s/%E0%A4%A']) {
    assert.equal(readImmichAddress(server + cut), { code: 'album-source-link-cut' }, cut);
  }
});

test('what is not an address of the web is refused', () => {
  for (const written of [
    '',
    '   ',
    'ftp://photos.example',
    'https://',
    'https://anna:secret@photos.example',
    'a\u0000b',
  ]) {
    assert.ok('code' in readImmichAddress(written), written);
  }
});

test('a link of an iCloud album says which wire it belongs to (IC-1)', () => {
  const token = 'B0aGWZqDGJ7abcd';
  for (const written of [
    `https://www.icloud.com/sharedalbum/#${token}`,
    `https://www.icloud.com/sharedalbum/de-de/#${token}`,
    `https://www.icloud.com/sharedalbum/#${token};01AB-CD`,
    ` icloud.com/sharedalbum/#${token}`,
  ]) {
    assert.equal(readICloudLink(written), { wire: 'stream', token }, written);
  }
  const albumToken = '0c5_x-yzABCDEF';
  assert.equal(readICloudLink(`https://photos.icloud.com/shared/album/${albumToken}`), {
    wire: 'cloudkit',
    token: albumToken,
  });
  assert.equal(readICloudLink('https://www.icloud.com/sharedalbum/'), { code: 'album-source-link-cut' });
  assert.equal(readICloudLink('https://www.icloud.com/photos/#0abcdefgh'), { code: 'album-source-not-icloud' });
  assert.equal(readICloudLink(`https://icloud.com.evil.example/sharedalbum/#${token}`), {
    code: 'album-source-not-icloud',
  });
  assert.ok('code' in readICloudLink(''));
});

test('hosts of iCloud are recognized by their whole name (IC-6)', () => {
  for (const host of ['icloud.com', 'p23-sharedstreams.icloud.com', 'cvws.icloud-content.com'])
    assert.ok(isICloudHost(host));
  for (const host of ['evilicloud.com', 'icloud.com.example', 'icloud-content.com.example', 'icloud.co', '']) {
    assert.not.ok(isICloudHost(host), host);
  }
});

test('the digits of a capture are taken and never shifted (IM-12)', () => {
  assert.is(wallTimeOf('2025-01-05T00:16:08.000Z'), '2025-01-05T00:16:08');
  assert.is(wallTimeOf('2025-01-05T00:16:08+05:30'), '2025-01-05T00:16:08');
  for (const wrong of [
    '2025-02-30T00:00:00Z',
    '2025-01-05',
    '',
    null,
    undefined,
    'yesterday',
    '2025-13-01T00:00:00Z',
  ]) {
    assert.is(wallTimeOf(wrong), undefined, String(wrong));
  }
  assert.is(shiftedWallTime('2025-01-04T20:00:00Z', 5.5 * 3_600_000), '2025-01-05T01:30:00');
  assert.is(shiftedWallTime('2025-01-04T20:00:00Z', undefined), undefined);
  assert.is(epochOf('2025-01-04T20:00:00.000Z'), Date.UTC(2025, 0, 4, 20));
  assert.is(epochOf('tomorrow'), undefined);
});

test('keys are remembered, each once', () => {
  const seen = seenKeys();
  for (let at = 0; at < 5_000; at++) assert.ok(seen.add(`picture ${at}`));
  for (let at = 0; at < 5_000; at++) assert.not.ok(seen.add(`picture ${at}`));
  assert.is(seen.size, 5_000);
});

test.run();
