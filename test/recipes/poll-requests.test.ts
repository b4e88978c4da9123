/** The requests that recipes poll with: addresses by lines, headers as people spell them, and bodies. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FieldValues } from '../../api/recipes/package/recipe-fields.ts';
import { type RecipeSettings, readSettingsFile } from '../../api/recipes/package/recipe-settings.ts';
import { headersOf, type PollRequest, pollRequests } from '../../api/recipes/work/poll-requests.ts';

const test = suite('requests of recipes');

const now = Date.parse('2026-11-28T10:20:30Z');
const basis = readSettingsFile('strategy: polling');

const requests = (settings: Partial<RecipeSettings>, values: FieldValues = {}): readonly PollRequest[] =>
  pollRequests({ ...basis, ...settings }, values, {
    now,
    timeZone: 'Asia/Tokyo',
    random: Math.random,
  });
const urls = (addresses: string, values: FieldValues = {}): string[] =>
  requests({ addresses }, values).map(({ url }) => url);

test('RC-7: addresses are rendered as a whole, divided into lines, trimmed, and what is empty is dropped', () => {
  assert.equal(urls('https://a.example/{{ city }}', { city: 'Köln' }), ['https://a.example/Köln']);
  assert.equal(urls('  https://a.example \r\n\n\thttps://b.example\n'), ['https://a.example', 'https://b.example']);
  assert.equal(urls('{% for n in (1..3) %}https://a.example/{{ n }}\n{% endfor %}'), [
    'https://a.example/1',
    'https://a.example/2',
    'https://a.example/3',
  ]);
  assert.equal(
    urls(
      '{% assign all = cities | split: "," %}{% for c in all %}https://a.example/?q={{ c | strip | url_encode }}\n{% endfor %}',
      {
        cities: 'Bad Ems, Köln',
      },
    ),
    ['https://a.example/?q=Bad+Ems', 'https://a.example/?q=K%C3%B6ln'],
  );
  assert.equal(
    urls('{% case unit %}{% when "m" %}https://m.example{% else %}https://i.example{% endcase %}', { unit: 'm' }),
    ['https://m.example'],
  );
  assert.equal(urls('https://a.example/{{ "now" | date: "%Y/%m/%d" }}'), ['https://a.example/2026/11/28']);
  assert.equal(
    urls(
      'https://a.example/{{ "now" | date: "%s" | plus: trmnl.user.utc_offset | date: "%F-%H" }}/{{ trmnl.user.time_zone_iana }}',
    ),
    ['https://a.example/2026-11-28-19/Asia/Tokyo'],
  );
  assert.equal(urls('{% if on == "true" %}https://a.example{% endif %}', { on: 'false' }), []);
  assert.equal(urls(''), []);
});

test('a template that cannot be rendered fails with a sentence', () => {
  assert.throws(() => urls('{% for x in y %}https://a.example'), /not closed/);
});

test('headers are read in every spelling', () => {
  const spellings: readonly (readonly [text: string, headers: Record<string, string>])[] = [
    ['authorization=Bearer abc&accept=application/json', { authorization: 'Bearer abc', accept: 'application/json' }],
    ['authorization=bearer%20a%2Bb&x-key=a=b==', { authorization: 'bearer a+b', 'x-key': 'a=b==' }],
    ['Authorization: Bearer abc', { authorization: 'Bearer abc' }],
    [
      'Authorization: Bearer abc\nAccept: text/plain; q=0.5\r\n',
      { authorization: 'Bearer abc', accept: 'text/plain; q=0.5' },
    ],
    ['a=1\nb=2', { a: '1', b: '2' }],
    ['x-token = abc ', { 'x-token': 'abc' }],
    ['x-token=100%', { 'x-token': '100%' }],
    ['x-address: https://a.example/?b=c&d=e', { 'x-address': 'https://a.example/?b=c&d=e' }],
    ['{"Authorization": "Bearer abc", "x-n": 3}', { authorization: 'Bearer abc', 'x-n': '3' }],
    ['X-A=1&x-a=2', { 'x-a': '2' }],
    ['', {}],
    ['no header at all', {}],
    ['=value', {}],
    ['empty=', { empty: '' }],
  ];
  for (const [text, headers] of spellings) assert.equal(headersOf(text), headers, text);
});

test('headers of the connection, line ends in values, and too many of them are left out', () => {
  const own =
    'host=evil.example&Content-Length=5&Transfer-Encoding=chunked&connection=close&proxy-authorization=x&te=x&expect=100-continue';
  assert.equal(headersOf(`${own}&a=1`), { a: '1' });
  assert.equal(headersOf('a=b%0D%0Ax-injected%3A%201%00'), { a: 'b  x-injected: 1 ' });
  assert.is(Object.keys(headersOf(Array.from({ length: 100 }, (_, at) => `h${at}=1`).join('&'))).length, 30);
  for (const text of ['x-emoji=😀', 'x-bell=\u0007', 'x-word=Grüße']) {
    const [value] = Object.values(headersOf(text));
    assert.ok(value !== undefined && /^[\t\x20-\x7e\x80-\xff]*$/.test(value), text);
  }
  assert.equal(Object.keys(headersOf('__proto__=a&b=1')), ['__proto__', 'b']);
});

test('headers see the fields', () => {
  const [request] = requests(
    { addresses: 'https://a.example', headers: 'authorization=Bearer {{ token }}&x-lang={{ lang | downcase }}' },
    { token: 'a b', lang: 'DE' },
  );
  assert.equal(request, {
    url: 'https://a.example',
    method: 'GET',
    headers: { authorization: 'Bearer a b', 'x-lang': 'de' },
  });
});

test('a body goes with POST alone, as JSON or as a form, unless a header says otherwise', () => {
  const sent = (settings: Partial<RecipeSettings>): PollRequest | undefined =>
    requests({ addresses: 'https://a.example', ...settings }, { q: 'x' })[0];
  assert.is(sent({ body: '{"q":"{{ q }}"}' })?.body, undefined);
  assert.equal(sent({ isPost: true, body: '{"q":"{{ q }}"}' }), {
    url: 'https://a.example',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"q":"x"}',
  });
  assert.equal(sent({ isPost: true, body: 'q={{ q }}' })?.headers, {
    'content-type': 'application/x-www-form-urlencoded',
  });
  assert.equal(sent({ isPost: true, body: '{}', headers: 'Content-Type=application/graphql' })?.headers, {
    'content-type': 'application/graphql',
  });
  assert.equal(sent({ isPost: true, body: '' }), { url: 'https://a.example', method: 'POST', headers: {} });
});

test('several addresses have the same headers and the same body', () => {
  const made = requests({
    addresses: 'https://a.example\nhttps://b.example',
    isPost: true,
    body: '[1]',
    headers: 'a=1',
  });
  assert.equal(
    made.map(({ url }) => url),
    ['https://a.example', 'https://b.example'],
  );
  for (const { method, headers, body } of made) {
    assert.equal([method, headers, body], ['POST', { a: '1', 'content-type': 'application/json' }, '[1]']);
  }
});

test.run();
