/** Which texts are a picture's Base64. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeImageBase64, imageLimitBytes } from '../../api/submissions/image-base64.ts';

const test = suite('image base64');

test('T-33: only the one canonical encoding is taken', () => {
  const taken = ['AA==', 'AAA=', 'AAAA', '/+8=', '+/+/', 'iVBORw0KGgo=', 'AAAAAAAA'];
  for (const text of taken) assert.is(decodeImageBase64(text)?.toString('base64'), text);
  const refused = [
    '',
    'A',
    'AA',
    'AAA',
    'A===',
    '====',
    '=AAA',
    'AA=A',
    'AB==', // bits behind the last byte
    'AAB=',
    'AAAA====',
    'AA==AAAA',
    'AAAA\n',
    'AA\nA',
    'AAAA\r\nAAAA',
    'AAA A',
    ' AAAA',
    'AAAA ',
    '-_-_',
    'AAA\u0000',
    'ＡＡＡＡ',
    'AAA😀',
    'data:image/png;base64,AAAA',
    'AAA.',
    'AAA~',
    '%2B%2F==',
    '"AAAA"',
  ];
  for (const text of refused) {
    assert.is(decodeImageBase64(text), undefined, JSON.stringify(text));
    assert.is(decodeImageBase64(Buffer.from(text)), undefined, JSON.stringify(text));
  }
});

test('T-61: the bytes of a text are decoded where they are', () => {
  const picture = Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * 7919) % 251));
  const text = Buffer.from(picture.toString('base64'));
  const decoded = decodeImageBase64(text);
  assert.ok(decoded?.equals(picture));
  assert.is(decoded?.buffer, text.buffer);
});

test('FACT-10: 20 MiB pass, one byte more does not, and nothing longer is decoded', () => {
  const encoded = (bytes: number): string => Buffer.alloc(bytes, 1).toString('base64');
  assert.is(encoded(imageLimitBytes).length, encoded(imageLimitBytes + 1).length);
  assert.is(decodeImageBase64(encoded(imageLimitBytes))?.length, imageLimitBytes);
  assert.is(decodeImageBase64(encoded(imageLimitBytes + 1)), undefined);
  assert.is(decodeImageBase64(encoded(imageLimitBytes + 2)), undefined);
  assert.is(decodeImageBase64('A'.repeat(100_000_000)), undefined);
});

test.run();
