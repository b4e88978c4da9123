/** Answers of mail servers: recipients that are refused, the name that greets, certificates. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answersOf, openMail } from '../../api/alerts/mail.ts';
import { readReasons } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { systemClock as clock } from '../../runtime/clock.ts';
import { withAlerts, withMailServer } from './alert-world.ts';

const test = suite('mail');

const from = 'papergate@example.org';
const letter = { to: ['ada@example.org'], subject: 'x', text: 'x', id: 'x' };

type ServerOptions = Parameters<typeof withMailServer>[0];

/** A server that refuses recipients by the beginning of their names. */
const choosy: ServerOptions = {
  onRcptTo({ address }, _session, done) {
    if (address.startsWith('gone')) done(Object.assign(new Error('5.1.1 no such mailbox'), { responseCode: 550 }));
    else if (address.startsWith('full')) done(Object.assign(new Error('4.2.2 mailbox full'), { responseCode: 452 }));
    else done();
  },
};
const mixed = ['ada@example.org', 'gone@example.org', 'full@example.org'];

/** Sends a mail, and returns what is reported of it. */
async function said(url: string, more: Partial<Parameters<typeof openMail>[0]> = {}): Promise<string> {
  return wordsOf(answersOf(await openMail({ url, from, clock, ...more }).send(letter)));
}

test('recipients whom the server refuses are named, with its answer, and the others get the mail', () =>
  withMailServer(choosy, async ({ url, letters }) => {
    const mail = openMail({ url, from, clock });
    const sent = await mail.send({ ...letter, to: mixed });
    assert.equal(
      letters.map(({ to }) => to),
      [['ada@example.org']],
    );
    assert.ok(sent.ok && sent.refused !== undefined);
    assert.is(
      wordsOf(sent.refused),
      'The mail server did not accept it for everyone: gone@example.org (550 5.1.1 no such mailbox), full@example.org (452 4.2.2 mailbox full)',
    );
    assert.is((await mail.send({ ...letter, to: ['gone@example.org'] })).ok, false);
    const whole = await mail.send(letter);
    assert.ok(whole.ok && whole.refused === undefined);
  }));

test('a channel that reaches some of its recipients fails and says so, sends nothing twice, and is well again', () =>
  withMailServer(choosy, ({ url, letters }) =>
    withAlerts(
      async (world) => {
        const id = await world.addChannel({ kind: 'mail', target: { recipients: mixed } });
        await world.silent((await world.addFrame('Hall')).serial, true);
        await world.looks();
        const row = await world.channel(id);
        assert.is(
          wordsOf(readReasons(row.last_error)).slice(0, 49),
          'The mail server did not accept it for everyone: g',
        );
        assert.is(row.failing_since, world.clock.now());
        assert.equal([row.attempts, row.next_at, row.last_sent_at], [0, null, world.clock.now()]);
        assert.is(await world.waiting(), 0);
        assert.is(world.logged.filter(({ text }) => text.includes('an alert channel fails')).length, 1);
        await world.watches(3 * 3_600_000, 60_000);
        assert.is(letters.length, 1, 'whoever has it gets it once');
        await world.silent((await world.addFrame('Kitchen')).serial, true);
        await world.looks();
        const later = await world.channel(id);
        assert.is(later.failing_since, row.failing_since, 'it fails since then');
        assert.is(world.logged.filter(({ text }) => text.includes('an alert channel fails')).length, 1);
        await world.db('alert_channels').update({ target: JSON.stringify({ recipients: ['ada@example.org'] }) });
        await world.silent((await world.addFrame('Bath')).serial, true);
        await world.looks();
        const well = await world.channel(id);
        assert.equal([well.failing_since, well.last_error], [null, null]);
      },
      { mail: openMail({ url, from, clock }) },
    ),
  ));

test('a server that wants a full name is greeted with that of the service, or with the one in its address', () => {
  const names: string[] = [];
  const strict: ServerOptions = {
    onMailFrom(_address, { hostNameAppearsAs: name }, done) {
      names.push(String(name));
      if (/^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$/.test(String(name))) return done();
      return done(
        Object.assign(new Error('5.5.2 Helo command rejected: need fully-qualified hostname'), { responseCode: 504 }),
      );
    },
  };
  return withMailServer(strict, async ({ url }) => {
    const machine = 'host';
    const refused = await said(url, { machine });
    assert.match(
      refused,
      /refuses the name that this service greets it with: 504 5\.5\.2 .*\?name=papers\.example\.org/,
    );
    assert.match(await said(`${url}?name=mail.example.org`, { machine }), /accepted it/);
    assert.match(await said(url, { machine, ownAddress: 'https://papers.example.org:8443/wall' }), /accepted it/);
    assert.match(await said(url, { machine, ownAddress: 'http://192.168.1.4:3000' }), /refuses the name/);
    assert.match(await said(`${url}?name=b.example`, { machine, ownAddress: 'https://a.example' }), /accepted it/);
    await said(url, { machine: 'box.example.net', ownAddress: 'https://a.example' });
    assert.equal(names.slice(0, 5), [
      '[127.0.0.1]',
      'mail.example.org',
      'papers.example.org',
      '[127.0.0.1]',
      'b.example',
    ]);
    assert.is(names[5], 'box.example.net');
  });
});

test('a certificate that is not trusted is named as the matter, and so is a port without TLS', () =>
  withMailServer({ disabledCommands: [] }, async ({ url, letters }) => {
    const untrusted = await said(url);
    assert.match(untrusted, /^The certificate of the mail server is not trusted \([A-Z_]+\).*NODE_EXTRA_CA_CERTS/);
    assert.match(await said(url.replace('smtp:', 'smtps:')), /does not begin with TLS at this port: write smtp:\/\//);
    assert.is(letters.length, 0);
  }));

test('a server that takes a sign-in of another kind alone says so, and no password is sent', () =>
  withMailServer(
    { authOptional: false, authMethods: ['XOAUTH2'], onAuth: (_auth, _session, done) => done(null, { user: 'x' }) },
    async ({ url }) => {
      const words = await said(url.replace('//', '//anna:hidden-password@'));
      assert.match(words, /did not accept it|could not be reached/);
      assert.match(words, /auth/i);
      assert.not.match(words, /hidden-password/);
    },
  ));

test.run();
