/** The address rule over a corpus of hosts, as the URL parser and as a resolver give them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkHost, isPublicAddress, loopbackAddresses } from '../../api/callbacks/public-address.ts';

const test = suite('public address');

/** What becomes of `https://HOST/cb`. */
function verdict(host: string): string {
  const url = `https://${host}/cb`;
  if (!URL.canParse(url)) return 'parse error';
  return checkHost(new URL(url).hostname).kind;
}

const refusedHosts = [
  'localhost',
  'localhost.',
  'LOCALHOST',
  'app.localhost',
  'printer.local',
  'metadata.google.internal',
  'router.home.arpa',
  'home.arpa',
  'hidden.onion',
  'intranet',
  'a..b',
  '.example',
  'example..',
  '127.0.0.1..',
  '-a.example',
  'a-.example',
  'a_b.example',
  'a*b.example',
  `${'a'.repeat(64)}.example`,
  `${'abcdefg.'.repeat(32)}example`,
  '127.1',
  '127.0.0.1',
  '127.0.0.1.',
  '2130706433',
  '0x7f000001',
  '0x7f.0x0.0x0.0x1',
  '0177.0.0.1',
  '0xa9fea9fe',
  '１２７.０.０.１',
  '0',
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.175.48.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[::2]',
  '[::7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:8.8.8.8]',
  '[::ffff:0:8.8.8.8]',
  '[64:ff9b::a00:1]',
  '[64:ff9b:1::1]',
  '[100::1]',
  '[100:0:0:1::1]',
  '[1::1]',
  '[1fff:ffff::1]',
  '[2001::1]',
  '[2001:1ff:ffff::1]',
  '[2001:db8::1]',
  '[2002:7f00:1::]',
  '[3fff::1]',
  '[3fff:fff:ffff::1]',
  '[2620:4f:8000::1]',
  '[2600::5efe:10.0.0.1]',
  '[2600::200:5efe:10.0.0.1]',
  '[4000::1]',
  '[8000::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
];

const acceptedHosts: Readonly<Record<string, 'address' | 'name'>> = {
  '0127.0.0.1': 'address', // octal: 87.0.0.1
  '1.0.0.0': 'address',
  '8.8.8.8': 'address',
  '9.255.255.255': 'address',
  '11.0.0.0': 'address',
  '100.63.255.255': 'address',
  '100.128.0.0': 'address',
  '126.255.255.255': 'address',
  '128.0.0.0': 'address',
  '168.63.129.15': 'address',
  '168.63.129.17': 'address',
  '169.253.255.255': 'address',
  '169.255.0.0': 'address',
  '172.15.255.255': 'address',
  '172.32.0.1': 'address',
  '192.0.1.0': 'address',
  '192.0.3.0': 'address',
  '192.167.255.255': 'address',
  '192.169.0.0': 'address',
  '198.17.255.255': 'address',
  '198.20.0.0': 'address',
  '223.255.255.255': 'address',
  '[2000::1]': 'address',
  '[2001:200::1]': 'address',
  '[2001:db7:ffff::1]': 'address',
  '[2001:db9::1]': 'address',
  '[2001:4860:4860::8888]': 'address',
  '[2003::1]': 'address',
  '[2600::5efe:8.8.8.8]': 'address',
  '[2600::1:5efe:a00:1]': 'address',
  '[2620:4f:8001::1]': 'address',
  '[3ffe:ffff::1]': 'address',
  '[3fff:1000::1]': 'address',
  'notes.example': 'name',
  'NOTES.Example': 'name',
  'notes.example.': 'name',
  'xn--ntes-5qa.example': 'name',
  'a.b-c.d1.example': 'name',
  'localhost.example': 'name',
  'mylocal.example': 'name',
  'notlocalhost.arpa': 'name',
};

test('T-01: hosts that are not public are refused, whatever they are written like', () => {
  for (const host of refusedHosts) assert.is(verdict(host), 'refused', host);
});

test('control: public hosts, those just outside every reserved range among them, are accepted', () => {
  for (const [host, kind] of Object.entries(acceptedHosts)) assert.is(verdict(host), kind, host);
});

test('what is no host at all does not reach the rule', () => {
  for (const host of [
    '256.0.0.1',
    '1.2.3.4.5',
    '0x100000000',
    '[::1',
    '[fe80::1%25eth0]',
    '[::g]',
    'a b',
    '[1::2::3]',
  ]) {
    assert.is(verdict(host), 'parse error', host);
  }
});

test('T-03: resolver answers are judged as text, and anything that is no address is not public', () => {
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
