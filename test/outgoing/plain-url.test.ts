/** Addresses as people copy them, and what is refused of them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readPlainUrl } from '../../api/outgoing/plain-url.ts';
import { cookiesOfVisit } from '../../api/outgoing/visit-cookies.ts';

const test = suite('plain addresses');

const read = (raw: string): string => {
  const url = readPlainUrl(raw);
  return url instanceof URL ? url.href : url.code;
};

test('umlauts and spaces are encoded, and spaces around an address are left out', () => {
  assert.is(
    read('https://müll.example/Grüne Tonne.ics?ort=Köln Süd'),
    'https://xn--mll-hoa.example/Gr%C3%BCne%20Tonne.ics?ort=K%C3%B6ln%20S%C3%BCd',
  );
  assert.is(read('  https://a.example/b\u00a0\n'), 'https://a.example/b');
  assert.is(read('http://１２７.０.０.１/'), 'http://127.0.0.1/', 'judged when it is asked');
  for (const hidden of ['\u200b', '\u202e', '\u0000', '\t', '\n', '\ufeff', '\u00ad', '\ud800'])
    assert.is(read(`https://a.example/b${hidden}c`), 'address-not-ascii', JSON.stringify(hidden));
  assert.is(read('https://a b.example/'), 'address-unreadable');
});

test('a password is reported as such, whatever signs it has', () => {
  for (const password of ['pass', 'p#ss', 'p/ss', 'p?ss', '#', '12#ss', 'p:ss', 'p#s/s?']) {
    assert.is(read(`https://anna:${password}@cloud.example/feed.ics`), 'address-holds-password', password);
  }
  assert.is(read('https://anna@cloud.example/'), 'address-holds-password');
  for (const plain of [
    'https://a.example/b@c',
    'https://a.example:8080/?mail=a@b.example',
    'http://nas:5000/a@b',
    'https://a.example/x:y@z',
    'https://a.example#b@c',
  ])
    assert.is(read(plain), new URL(plain).href);
});

test('cookies of a visit go to the host that set them, and no further', () => {
  const cookies = cookiesOfVisit();
  const at = (url: string): string | undefined => cookies.headersFor(new URL(url)).cookie;
  cookies.keep(new URL('https://a.example/'), ['s=1; Path=/; HttpOnly', 't=2; Secure', 'no', 'x=\u0000']);
  assert.is(at('https://a.example/b'), 's=1; t=2');
  assert.is(at('http://a.example/'), 's=1');
  assert.is(at('https://b.a.example/'), undefined);
  cookies.keep(new URL('https://a.example/'), ['s=; Max-Age=0', 't=3; Secure']);
  assert.is(at('https://a.example/'), 't=3');
});

test.run();
