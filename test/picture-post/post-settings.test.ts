/** The variables of the mailbox and the bot: mistakes are named, and no secret is quoted. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noHomeNetworks } from '../../api/outgoing/home-networks.ts';
import { noWayOut } from '../../api/outgoing/way-out.ts';
import { addressOfMailbox } from '../../api/service/settings/post-settings.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { postOfSettings } from '../../api/service/wire/post-of-settings.ts';
import { systemClock } from '../../runtime/clock.ts';
import { fakeToken } from '../picture-bot/fake-telegram.ts';

const test = suite('settings of mail and Telegram');
const wayOut = noWayOut(systemClock);
const ways = { wayOut, operatorsWay: noWayOut(systemClock), home: noHomeNetworks };
const mailbox = 'imaps://frame%40Example.org:s3cret@imap.example.org';

function refusalOf(env: Record<string, string>): string {
  try {
    readSettings(env);
  } catch (error) {
    return String(error);
  }
  return '';
}

test('a mailbox has the address of its user, or the one that is named', () => {
  const settings = readSettings({
    PAPERGATE_PICTURE_MAILBOX: mailbox,
    PAPERGATE_PICTURE_MAIL_SERVER: 'MX.example.org',
  });
  const { mailbox: read, bot } = postOfSettings(settings, ways, { mail: undefined });
  assert.equal(
    [read?.address, read?.trusted, read?.at.password, bot],
    ['frame@example.org', 'mx.example.org', 's3cret', undefined],
  );
  const other = { PAPERGATE_PICTURE_MAILBOX: 'imaps://u7:s3cret@imap.example.org' };
  assert.match(refusalOf(other), /PAPERGATE_PICTURE_ADDRESS: is missing/);
  assert.is(addressOfMailbox({ ...other, PAPERGATE_PICTURE_ADDRESS: 'frame@example.org' }), 'frame@example.org');
});

test('mistakes are named, and no secret is quoted', () => {
  const wrong: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    [
      's3cret',
      { PAPERGATE_PICTURE_MAILBOX: 'https://a%40b.example:s3cret@imap.example' },
      /MAILBOX: enter the mailbox as imaps/,
    ],
    [
      's3cret',
      { PAPERGATE_PICTURE_MAILBOX: 'imaps://a%40outlook.com:s3cret@imap.outlook.com' },
      /MAILBOX: Outlook.com lets no/,
    ],
    ['AAbb', { PAPERGATE_PICTURE_BOT: '123 AAbb' }, /BOT: is not a token of BotFather/],
    ['-', { PAPERGATE_PICTURE_BOT_SERVER: 'http://127.0.0.1' }, /BOT_SERVER: belongs to PAPERGATE_PICTURE_BOT/],
    ['-', { PAPERGATE_PICTURE_MAIL_SERVER: 'mx.example' }, /MAIL_SERVER: belongs to PAPERGATE_PICTURE_MAILBOX/],
  ];
  for (const [secret, env, said] of wrong) {
    const refusal = refusalOf(env);
    assert.match(refusal, said);
    if (secret !== '-') assert.not.match(refusal, secret);
  }
});

test('a server of the Bot API that the operator names may be inside the network; Telegram itself is asked as everything outside', () => {
  const botOf = (env: Record<string, string>) =>
    postOfSettings(readSettings({ PAPERGATE_PICTURE_BOT: fakeToken, ...env }), ways, { mail: undefined }).bot;
  const usual = botOf({});
  assert.equal([usual?.token, usual?.server, usual?.follow.wayOut === wayOut], [fakeToken, undefined, true]);
  const own = botOf({ PAPERGATE_PICTURE_BOT_SERVER: 'http://bots.lan:8081' });
  assert.is(own?.server?.host, 'bots.lan:8081');
  const { rule } = own?.follow.home.watch('telegram') ?? {};
  assert.is(rule?.mayDial('192.168.1.7', { hostname: 'bots.lan', port: 8081, secure: false }), true);
});

test.run();
