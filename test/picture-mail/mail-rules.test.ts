/** The rules for messages: addresses, proofs, loops, verdicts (ML-3, ML-6). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { provesDomain, readAuthResults, type TrustedServer } from '../../api/picture-mail/auth-results.ts';
import { judgeMail } from '../../api/picture-mail/judge-mail.ts';
import { secretsAddressed } from '../../api/picture-mail/mail-addressed.ts';
import { readMailHeaders } from '../../api/picture-mail/mail-headers.ts';
import { readMailboxAddress } from '../../api/picture-mail/mailbox-address.ts';

const test = suite('rules for mail to albums');

const headersOf = (...lines: string[]) => readMailHeaders(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
const kitchen = { id: 'kitchen', senders: ['grandma@example.org', 'anna@mail.example.org'] };
const own = ['frame@box.example'];
const set: TrustedServer = { name: 'mx.box.example', isSet: true };
const pass = 'Authentication-Results: mx.box.example; dmarc=pass header.from=example.org';
const usual = ['From: Grandma <Grandma@Example.org>', 'To: frame+k7@box.example', 'Message-ID: <1@example.org>'];

/** Returns the verdict and the code of its reason. */
async function verdictOf(lines: readonly string[], trusted: TrustedServer | 'none' = set, targets = [kitchen]) {
  const judged = judgeMail(await headersOf(...lines), {
    targets,
    trusted: trusted === 'none' ? undefined : trusted,
    ownAddresses: own,
  });
  return 'reason' in judged
    ? `${judged.verdict} ${judged.reason.code.replace('album-source-mail-', '')}`
    : judged.verdict;
}

test('an address of a mailbox names host, login and folder; providers without passwords are refused at once', () => {
  const secret = 'imaps://frame%40box.example:p%3Aw@imap.box.example/Frame%20pictures';
  assert.equal(readMailboxAddress(secret), {
    host: 'imap.box.example',
    port: 993,
    privacy: 'tls',
    user: 'frame@box.example',
    password: 'p:w',
    folder: 'Frame pictures',
  });
  const kept = (address: string) => {
    const read = readMailboxAddress(address);
    return 'code' in read
      ? read.code.replace('album-source-mailbox-', '')
      : `${read.privacy} ${read.port} ${read.folder}`;
  };
  assert.is(kept('imap://a:b@192.168.1.4:1143'), 'starttls 1143 INBOX');
  assert.is(kept('imap://a:b@127.0.0.1/'), 'none 143 INBOX');
  for (const host of ['outlook.office365.com', 'imap-mail.outlook.com', 'IMAP.Hotmail.com', 'partner.outlook.cn']) {
    assert.is(kept(`imaps://a:b@${host}/`), 'oauth', host);
  }
  assert.is(kept('imaps://a:b@notoutlook.com'), 'tls 993 INBOX');
  for (const text of [
    '',
    'frame@box.example',
    'https://a:b@c',
    'imaps://a@host',
    'imaps://:b@host',
    'imaps://a:%ff@h',
  ]) {
    assert.is(kept(text), 'unreadable', text);
  }
});

test('secrets are read from every header of addresses, in any case, once each and fifty at most', async () => {
  const lines = [
    'Delivered-To: frame+ONE@box.example',
    'X-Original-To: frame+two@box.example',
    'Envelope-To: <frame+three@box.example>',
    'To: "x, y" <Frame+One@BOX.example>,',
    ' other@elsewhere.example, frame+@box.example, +no@box.example, a+b+c@d.example',
    'Cc: friends: frame+four@box.example, plain@box.example;',
    `Bcc: frame+five@box.example`,
  ];
  assert.equal(secretsAddressed(await headersOf(...lines)), ['one', 'two', 'three', 'b+c', 'four']);
  const many = Array.from({ length: 500 }, (_, index) => `a+${index}@b.example`).join(', ');
  assert.is(secretsAddressed(await headersOf(`To: ${many}`)).length, 50);
  assert.is(secretsAddressed(await headersOf(`To: a+${'x'.repeat(100_000)}@b.example`)).length, 0);
});

test('results are read with comments, quotes and versions, and unsigned ones are none', () => {
  const read = readAuthResults(
    'MX.Example 1 (a (nested; comment)); dkim=pass (2048-bit; x) reason="a;b = c" header.d=Example.org; spf = fail smtp.mailfrom=x@y.example',
  );
  assert.is(read?.server, 'mx.example');
  assert.equal(
    read?.results.map(({ method, result }) => `${method} ${result}`),
    ['dkim pass', 'spf fail'],
  );
  assert.is(read?.results[0]?.properties.get('header.d'), 'example.org');
  for (const text of ['', 'spf=pass smtp.mailfrom=a.example', '; dmarc=pass', '(mx.example); dmarc=pass']) {
    assert.is(readAuthResults(text), undefined, text);
  }
  assert.equal(
    readAuthResults('mx.example; none')?.results.filter(({ result }) => result !== ''),
    [],
  );
  assert.ok(readAuthResults(`mx.example; ${'('.repeat(100_000)}`));
});

test('a domain is proven by DMARC, or by SPF or DKIM of it or one above it', () => {
  const proves = (results: string): boolean => {
    const read = readAuthResults(`mx.example; ${results}`);
    return read !== undefined && provesDomain(read, 'mail.example.org');
  };
  const right = [
    'dmarc=pass header.from=mail.example.org',
    'dmarc=pass (p=none dis=none) header.from=mail.example.org; spf=fail',
    'dmarc=none; dkim=pass header.d=example.org',
    'dkim=pass header.i=@mail.example.org',
    'spf=pass smtp.mailfrom=bounce@mail.example.org',
  ];
  const wrong = [
    'dmarc=pass header.from=evil.example',
    'dmarc=fail header.from=mail.example.org; dkim=pass header.d=example.org',
    'dmarc=bestguesspass header.from=mail.example.org',
    'dkim=pass header.d=evil.example',
    'dkim=pass header.d=org',
    'dkim=pass header.d=ample.org',
    'dkim=pass',
    'spf=softfail smtp.mailfrom=mail.example.org',
    'spf=pass smtp.helo=mail.example.org',
    'arc=pass header.d=mail.example.org',
    'x-dmarc=pass header.from=mail.example.org',
    'dkim=fail reason="dmarc=pass header.from=mail.example.org"',
    'dkim=fail (; dmarc=pass header.from=mail.example.org)',
  ];
  for (const results of right) assert.ok(proves(results), results);
  for (const results of wrong) assert.not(proves(results), results);
});

test('an invited and proven sender is accepted; the proof is the own server’s, and topmost', async () => {
  const forged = 'Authentication-Results: mx.box.example; dmarc=pass header.from=example.org';
  const failed = 'Authentication-Results: mx.box.example; dmarc=fail header.from=example.org';
  const strange = 'Authentication-Results: mx.evil.example; dmarc=pass header.from=example.org';
  assert.is(await verdictOf([pass, ...usual]), 'accept');
  assert.is(await verdictOf(usual), 'waits sender-unproven');
  assert.is(await verdictOf([strange, ...usual]), 'waits sender-unproven');
  assert.is(await verdictOf([failed, ...usual, forged]), 'waits sender-unproven');
  assert.is(await verdictOf([pass, ...usual], 'none'), 'waits sender-unproven');
  // A filter behind the server may sign as well; a learnt name counts at the top alone.
  assert.is(await verdictOf([strange, pass, ...usual]), 'accept');
  assert.is(await verdictOf([strange, pass, ...usual], { ...set, isSet: false }), 'waits sender-unproven');
  assert.is(await verdictOf([pass, ...usual], { name: 'MX.box.example', isSet: false }), 'accept');
});

test('a sender whom nobody invited waits, also when several are named or none', async () => {
  const from = (...lines: string[]) => verdictOf([pass, ...lines, 'To: frame+k7@box.example']);
  assert.is(await from('From: stranger@example.org'), 'waits sender-unknown');
  assert.is(await from('From: "grandma@example.org" <stranger@example.org>'), 'waits sender-unknown');
  assert.is(await from('From: grandma@example.org, stranger@example.org'), 'ignored sender-unclear');
  assert.is(await from('From: grandma@example.org', 'From: stranger@example.org'), 'ignored sender-unclear');
  assert.is(await from('From: stranger@example.org', 'Sender: grandma@example.org'), 'waits sender-unknown');
  assert.is(await from(), 'ignored sender-unclear');
  assert.is(await verdictOf([pass, ...usual], set, []), 'ignored address');
  const garage = { id: 'garage', senders: [] };
  const judged = judgeMail(await headersOf(pass, ...usual), {
    targets: [garage, kitchen],
    trusted: set,
    ownAddresses: own,
  });
  assert.equal(judged.verdict === 'accept' && judged.targets.map(({ id }) => id), ['kitchen']);
});

test('ML-6: what a program wrote is ignored, and so is the mailbox itself', async () => {
  const automatic = [
    'Auto-Submitted: auto-replied',
    'auto-submitted: auto-generated; owner-email="x"',
    'Precedence: Bulk',
    'Precedence: list',
    'Precedence: junk',
    'List-Id: <friends.example.org>',
    'Return-Path: <>',
  ];
  for (const line of automatic) assert.is(await verdictOf([pass, ...usual, line]), 'ignored automatic', line);
  for (const line of [
    'Auto-Submitted: no',
    'Auto-Submitted: no (really)',
    'Precedence: first-class',
    'Return-Path: <a@b.example>',
  ]) {
    assert.is(await verdictOf([pass, ...usual, line]), 'accept', line);
  }
  assert.is(await verdictOf([pass, 'From: frame+k7@box.example', 'To: frame+k7@box.example']), 'ignored own');
});

test('a message has one key for good, and nothing else gets into the headers of an answer', async () => {
  const { messageId, references, key } = await headersOf(...usual, 'References: <a@b> broken <c@d>', ' <e@f> <bad id>');
  assert.equal([messageId, key, references], ['<1@example.org>', '<1@example.org>', ['<a@b>', '<c@d>', '<e@f>']]);
  const none = await headersOf('From: a@b.example', 'Subject: x');
  assert.match(none.key, /^sha256:[0-9a-f]{64}$/);
  assert.is((await headersOf('From: a@b.example', 'Subject: x')).key, none.key);
  assert.is((await headersOf('Message-ID: <a\x00b@c>')).messageId, undefined);
  const long = await headersOf(`Subject: ${'=?utf-8?Q?=C3=BC?= '.repeat(50_000)}`);
  assert.ok(long.subject.length < 70_000);
});

test.run();
