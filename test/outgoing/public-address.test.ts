/** The address rule over a corpus of hosts, as the URL parser and as a resolver give them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkHost, isPublicAddress, loopbackAddresses } from '../../api/outgoing/public-address.ts';
import { corpusAddresses, hostCorpus } from './host-corpus.ts';

const test = suite('public address');

test('the corpus is large enough to mean something, and no host is in it twice', () => {
  const count = (verdict: string) => hostCorpus.filter((each) => each.verdict === verdict).length;
  assert.is(new Set(hostCorpus.map(({ host }) => host)).size, hostCorpus.length);
  assert.ok(hostCorpus.length >= 300);
  assert.ok(count('refused') >= 150 && count('address') >= 50 && count('name') >= 15 && count('parse error') >= 25);
});

test('T-01: hosts that are not public are refused, whatever they are written like; public ones are accepted', () => {
  for (const { host, verdict, parsed } of hostCorpus) {
    const kind = parsed === undefined ? 'parse error' : checkHost(parsed).kind;
    // Since version 24 Node reads an empty label in Punycode, `xn--`; nobody reaches it either way.
    const isAlsoRefused = verdict === 'parse error' && kind === 'refused';
    assert.ok(isAlsoRefused || kind === verdict, `${host} is ${kind}`);
  }
});

test('T-01: the addresses of the corpus get the same verdict when a resolver gives them', () => {
  const [refused, accepted] = [corpusAddresses('refused'), corpusAddresses('address')];
  assert.ok(refused.length >= 100 && accepted.length >= 50);
  for (const address of refused) assert.is(isPublicAddress(address), false, address);
  for (const address of accepted) assert.is(isPublicAddress(address), true, address);
});

test('T-03: resolver answers are judged as text, and anything that is not an address is not public', () => {
  const refused = [
    '::1',
    '::ffff:8.8.8.8',
    'fe80::1%eth0',
    '2001:4860::1%1',
    '10.0.0.1',
    '010.8.8.8',
    '8.8.8',
    '',
    'notes.example',
    '[2600::1]',
  ];
  for (const answer of refused) assert.is(isPublicAddress(answer), false, answer);
  for (const answer of ['8.8.8.8', '2600::1', '2600:0:0:0:0:0:0:1', '2600::8.8.8.8', '2A00:1450::1']) {
    assert.is(isPublicAddress(answer), true, answer);
  }
});

test('A-30: only the three explicit spellings are loopback hosts', () => {
  assert.equal(loopbackAddresses('localhost'), ['127.0.0.1', '::1']);
  assert.equal(loopbackAddresses('127.0.0.1'), ['127.0.0.1']);
  assert.equal(loopbackAddresses('[::1]'), ['::1']);
  for (const host of ['127.0.0.2', 'localhost.', 'a.localhost', '::1', '0.0.0.0', '[::]', '[::ffff:7f00:1]']) {
    assert.is(loopbackAddresses(host), undefined, host);
  }
});

test.run();
