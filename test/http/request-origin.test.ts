/** How the caller reaches the service: what is believed of a proxy, of the operator's address, and of a stranger. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { requestOrigin } from '../../api/http/request-origin.ts';
import { readSettings } from '../../api/service/settings/settings.ts';

const test = suite('the origin of a request');

const proxies = readSettings({ PAPERGATE_TRUSTED_PROXIES: '10.0.0.0/8' }).PAPERGATE_TRUSTED_PROXIES;

function read(headers: Record<string, string>, { from = '10.0.0.1', publicUrl = '' } = {}) {
  const socket = { remoteAddress: from } as never;
  return requestOrigin(proxies, publicUrl === '' ? undefined : publicUrl)({ socket, headers });
}

const forwarded = {
  host: '127.0.0.1:3000',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'paper.example',
  'x-forwarded-prefix': '/papergate/',
};

test('a trusted proxy says scheme, host and prefix; the nearest one writes last', () => {
  assert.equal(read(forwarded), {
    origin: 'https://paper.example',
    isHttps: true,
    prefix: '/papergate',
    base: 'https://paper.example/papergate',
    ownHosts: ['paper.example'],
  });
  const through = { ...forwarded, 'x-forwarded-host': 'evil.example, paper.example:8443' };
  assert.is(read(through).origin, 'https://paper.example:8443');
  assert.is(read({ ...forwarded, 'x-forwarded-host': 'paper.example:443' }).origin, 'https://paper.example');
});

test('a stranger chooses neither scheme nor host nor prefix', () => {
  assert.equal(read(forwarded, { from: '192.0.2.7' }), {
    origin: 'http://127.0.0.1:3000',
    isHttps: false,
    prefix: '',
    base: 'http://127.0.0.1:3000',
    ownHosts: ['127.0.0.1:3000'],
  });
});

test('the address that the operator named holds for requests to its host', () => {
  const publicUrl = 'https://paper.example/papergate';
  const named = read({ host: 'paper.example' }, { from: '192.0.2.7', publicUrl });
  assert.equal([named.origin, named.isHttps, named.prefix], ['https://paper.example', true, '/papergate']);
  const direct = read({ host: '192.168.1.5:3000' }, { from: '192.168.1.9', publicUrl });
  assert.equal([direct.origin, direct.isHttps, direct.prefix], ['http://192.168.1.5:3000', false, '']);
  assert.is(direct.base, publicUrl, 'what is given to others is the address that the operator named');
  assert.equal(direct.ownHosts, ['192.168.1.5:3000', 'paper.example'], 'where a proxy rewrites the host unseen');
});

test('an origin that is not a host and a path that is not plain do not count', () => {
  for (const host of ['', 'a b', 'user@paper.example', 'paper.example/x', 'paper.example:port', '"><script>']) {
    const { origin, ownHosts } = read({ host });
    assert.equal([origin, ownHosts], ['', []], host);
  }
  for (const prefix of ['/a"><script>', '//evil.example', '/../x', 'papergate', '/a b', '/%2e', `/${'a'.repeat(65)}`]) {
    assert.is(read({ ...forwarded, 'x-forwarded-prefix': prefix }).prefix, '', prefix);
  }
  assert.is(read({ host: '[::1]:3000' }).origin, 'http://[::1]:3000');
});

test.run();
