/** Which URLs an integration may be saved with, and what they resolve to. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  resolveIntegration,
  resolveRenderPage,
  resolveSettings,
  type UrlRules,
} from '../../api/integration/saved-urls.ts';
import { wordsOf } from '../../reasons/words.ts';
import { usableManifest } from './integration-world.ts';

const test = suite('saved urls');

const production: UrlRules = { production: true, allowLocalhost: false, publicHosts: ['papers.example'] };
const development: UrlRules = { production: false, allowLocalhost: true, publicHosts: ['127.0.0.1:3000'] };

const withCallback = (callbackPath: unknown) => ({
  ...usableManifest,
  capabilities: { contentPush: { callbackPath } },
});

function resolve(configUrl: unknown, manifest: unknown = usableManifest, rules = production) {
  const resolved = resolveIntegration({ configUrl, manifest }, rules);
  return resolved.ok ? resolved : 'unusable';
}

test('port 443 is demanded in production only; everything else of the address is judged alike', () => {
  const elsewhere: UrlRules = { production: false, allowLocalhost: false, publicHosts: ['papers.example'] };
  const configUrl = 'https://notes.example:8443/config.json';
  assert.is(resolve(configUrl), 'unusable');
  const found = resolve(configUrl, usableManifest, elsewhere);
  assert.is(typeof found === 'string' ? found : found.origin, 'https://notes.example:8443');
  const absolute = { ...usableManifest, renderPage: 'https://notes.example/render.html' };
  assert.is(resolve(configUrl, absolute, elsewhere), 'unusable', 'another origin');
  for (const wrong of [
    'http://notes.example:8443/x',
    'https://notes.example:/x',
    'https://notes.example:0443/x',
    'https://notes.example:0/x',
    'https://notes.example:65536/x',
    'https://notes.example:x/x',
    'https://papers.example:8443/x',
    'https://10.0.0.1:8443/x',
    'https://127.0.0.1:8443/x',
    'https://localhost:8443/x',
    'https://notes.example.:8443/x',
    'https://u@notes.example:8443/x',
  ]) {
    assert.is(resolve(wrong, usableManifest, elsewhere), 'unusable', wrong);
  }
  assert.ok(resolveRenderPage({ configUrl, manifest: { renderPage: 'https://other.example:9443/x' } }, elsewhere).ok);
});

test('paths resolve against the origin or the manifest, and absolute URLs stay', () => {
  assert.equal(
    resolve('https://notes.example/a/b/config.json', {
      ...usableManifest,
      settingsPage: '/settings',
      renderPage: './pages/render.html',
      capabilities: { contentPush: { callbackPath: 'https://notes.example:443/hook' } },
    }),
    {
      ok: true,
      name: 'Kitchen notes',
      origin: 'https://notes.example',
      configUrl: 'https://notes.example/a/b/config.json',
      settingsUrl: 'https://notes.example/settings',
      renderUrl: 'https://notes.example/a/b/pages/render.html',
      callbackUrl: 'https://notes.example/hook',
    },
  );
});

const malformed = [
  'http://notes.example/x',
  'https:notes.example/x',
  'https:/notes.example/x',
  'https:///notes.example/x',
  '//notes.example/x',
  '/\\notes.example/x',
  '\\\\notes.example/x',
  'https:\\\\notes.example/x',
  'https://notes.example:444/x',
  'https://notes.example:0443/x',
  'https://notes.example:/x',
  'https://notes.example:80/x',
  'https://user@notes.example/x',
  'https://user:secret@notes.example/x',
  'https://@notes.example/x',
  'https://notes.example/x?',
  'https://notes.example/x?a=b',
  'https://notes.example?x',
  'https://notes.example/x#',
  'https://notes.example/x#y',
  'https://notes.example/../x',
  'https://notes.example/a/./x',
  'https://notes.example/a/%2e%2E/x',
  'https://notes.example/a/.%2e/x',
  'https://notes.example/a/..',
  'https://notes.example./x',
  'https://notes%2eexample/x',
  'https://nötes.example/x',
  'https://notes.example/\u202ex',
  'https://notes.example/a b',
  ' https://notes.example/x',
  'https://notes.example/x\n',
  'ht\ttps://notes.example/x',
  'blob:https://notes.example/x',
  'ftp://notes.example/x',
  'wss://notes.example/x',
  'javascript:alert(1)',
  'data:application/json,{}',
  'file:///etc/passwd',
  'HTTPS://notes.example/x',
  'https://127.0.0.1/x',
  'https://[::1]/x',
  'https://localhost/x',
  'https://notes/x',
  'https://',
  '',
  `https://notes.example/${'x'.repeat(2_000)}`,
];

test('T-05, T-01: malformed and private URLs are refused at each of the four places', () => {
  assert.ok(malformed.length >= 40);
  const good = 'https://notes.example/config.json';
  for (const url of malformed) {
    const refused = 'unusable';
    assert.is(resolve(url), refused, `manifest ${url}`);
    assert.is(resolve(good, { ...usableManifest, settingsPage: url }), refused, `settings ${url}`);
    assert.is(resolve(good, { ...usableManifest, renderPage: url }), refused, `render ${url}`);
    assert.is(resolve(good, withCallback(url)), refused, `callback ${url}`);
  }
});

test('raw-URL rules 5 to 7: relative values stay inside, absolute ones on the origin', () => {
  const good = 'https://notes.example/a/config.json';
  const refused = [
    'x',
    'hook',
    '../hook',
    './../hook',
    './a/../hook',
    '././hook',
    '.',
    './.',
    '/a/./b',
    '/%2E%2e/',
    '//x',
  ];
  const foreign = ['https://other.example/hook', 'https://notes.example.evil/hook', 'https://a.notes.example/hook'];
  for (const path of [...refused, ...foreign, 7, null, undefined, {}, ['/hook']]) {
    assert.is(resolve(good, withCallback(path)), 'unusable', String(path));
  }
  for (const path of ['/', '/hook', './hook', './', '/a//b', '/.well-known/hook', '/...', '/a%20b']) {
    assert.is.not(resolve(good, withCallback(path)), 'unusable', path);
  }
});

test('manifests from outside are data of any shape', () => {
  const good = 'https://notes.example/config.json';
  const { name: _name, ...nameless } = usableManifest;
  for (const manifest of [
    undefined,
    null,
    7,
    'x',
    [],
    {},
    nameless,
    { ...usableManifest, name: ' ' },
    { ...usableManifest, capabilities: null },
  ]) {
    assert.is(resolveIntegration({ configUrl: good, manifest }, production).ok, false);
  }
  for (const configUrl of [undefined, null, 7, {}, ['https://notes.example/']]) {
    assert.is(resolve(configUrl), 'unusable');
  }
});

test('A-30: a render page on loopback lies on the origin of its manifest', () => {
  const resolved = (configUrl: string, renderPage: string) =>
    resolveRenderPage({ configUrl, manifest: { renderPage } }, development);
  const own = 'http://127.0.0.1:8080/clock/config.json';
  for (const renderPage of [
    './render',
    '/render',
    'http://127.0.0.1:8080/render',
    'https://elsewhere.example/render',
  ]) {
    assert.is(resolved(own, renderPage).ok, true, renderPage);
  }
  for (const configUrl of [own, 'https://plain.example/config.json']) {
    for (const renderPage of ['http://127.0.0.1:9090/', 'http://localhost:8080/', 'https://127.0.0.1:8080/']) {
      assert.is(resolved(configUrl, renderPage).ok, false, `${configUrl} ${renderPage}`);
    }
  }
});

test('T-06, A-30: loopback is for development only, explicit only, and on one origin', () => {
  const loopback = [
    'http://127.0.0.1:8080/config.json',
    'http://localhost:8080/config.json',
    'http://[::1]:8080/config.json',
    'https://localhost:8443/config.json',
    'http://localhost/config.json',
  ];
  for (const url of loopback) {
    assert.is.not(resolve(url, usableManifest, development), 'unusable', url);
    for (const rules of [
      production,
      { ...production, allowLocalhost: true },
      { ...development, allowLocalhost: false },
    ]) {
      assert.is(resolve(url, usableManifest, rules), 'unusable', url);
    }
  }
  const refused = [
    'http://127.1:8080/config.json',
    'http://127.0.0.2:8080/config.json',
    'http://0x7f000001:8080/config.json',
    'http://[::ffff:127.0.0.1]:8080/config.json',
    'http://localhost.:8080/config.json',
    'http://app.localhost:8080/config.json',
    'http://192.168.0.4:8080/config.json',
    'http://notes.example/config.json',
    'http://localhost:08080/config.json',
    'http://localhost:99999/config.json',
    'http://localhost:8080@notes.example/config.json',
  ];
  for (const url of refused) assert.is(resolve(url, usableManifest, development), 'unusable', url);
  const config = 'http://localhost:8080/config.json';
  for (const callback of ['http://localhost:8081/hook', 'http://127.0.0.1:8080/hook', 'https://localhost:8080/hook']) {
    assert.is(resolve(config, withCallback(callback), development), 'unusable', callback);
  }
  assert.is.not(resolve('https://notes.example/config.json', usableManifest, development), 'unusable');
});

test('T-56: the service does not call itself', () => {
  assert.is(resolve('https://papers.example/config.json'), 'unusable');
  assert.is(resolve('https://PAPERS.example:443/config.json'), 'unusable');
  for (const host of ['127.0.0.1:3000', 'localhost:3000', '[::1]:3000']) {
    assert.is(resolve(`http://${host}/config.json`, usableManifest, development), 'unusable');
  }
  assert.is.not(resolve('http://127.0.0.1:3001/config.json', usableManifest, development), 'unusable');
});

test('T-91: a settings page that a person opens in their house is judged by the text of its address', () => {
  const settingsAt = (configUrl: string): string | undefined => {
    const found = resolveSettings({ configUrl, manifest: usableManifest }, production);
    return found.ok ? found.settingsUrl : wordsOf(found.why);
  };
  assert.match(settingsAt('https://nas.lan/config.json') ?? '', /^https:\/\/nas\.lan\/\w/);
  assert.match(settingsAt('https://192.168.1.5/config.json') ?? '', /not (?:a )?public/);
  assert.match(settingsAt('http://nas.lan/config.json') ?? '', /https/);
});

test.run();
