/** Addresses with a user and a password: signs that end them are reported as such, and no password is quoted. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readBroker } from '../../api/home-assistant/home-link.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { loginMistake, parseUrl } from '../../runtime/read-address.ts';

const test = suite('addresses with a password');

/** The variables that hold such an address, each with one around a login. */
const withLogin: Readonly<Record<string, (login: string) => string>> = {
  PAPERGATE_SMTP_URL: (login) => `smtps://${login}@mail.example.org:465`,
  DATABASE_URL: (login) => `postgres://${login}@db.example.org:5432/papergate`,
  DATABASE_DIRECT_URL: (login) => `postgresql://${login}@db.example.org/papergate?application_name=a`,
  PAPERGATE_HASS_MQTT_URL: (login) => `mqtt://${login}@192.168.1.10:1883`,
  PAPERGATE_PICTURE_MAILBOX: (login) => `imaps://${login}@imap.example.org`,
  PAPERGATE_ALERTS_TO: (login) => `https://${login.replace(/^[^:]*/, '')}@hooks.example.org/a`,
};
const others = { PAPERGATE_MAIL_FROM: 'a@example.org', DATABASE_URL: 'postgres://db.example.org/papergate' };
const around = (name: string): Record<string, string> => {
  if (name === 'PAPERGATE_SMTP_URL') return { PAPERGATE_MAIL_FROM: others.PAPERGATE_MAIL_FROM };
  if (name === 'PAPERGATE_PICTURE_MAILBOX') return { PAPERGATE_PICTURE_ADDRESS: others.PAPERGATE_MAIL_FROM };
  return name === 'DATABASE_DIRECT_URL' ? { DATABASE_URL: others.DATABASE_URL } : {};
};

function refusalOf(env: Record<string, string>): string {
  try {
    readSettings(env);
  } catch (error) {
    return String(error);
  }
  return '';
}

for (const [name, address] of Object.entries(withLogin)) {
  test(`${name}: signs that end a password are to be percent-encoded, and it is not quoted`, () => {
    for (const sign of ['#', '?', '/', '%', '%zz', '@#', '#@', '%ff', '?a=', '/#?', '#a@b']) {
      for (const login of [`anna:s3cret${sign}wo4rd`, `anna:12${sign}wo4rd`, `an${sign}na:s3cretwo4rd`]) {
        if (name === 'PAPERGATE_ALERTS_TO' && !login.startsWith('anna:s3')) continue;
        const said = refusalOf({ [name]: address(login), ...around(name) });
        assert.match(
          said,
          new RegExp(`${name}: (?:number 1: )?its user or password has signs .*percent-encode # `),
          login,
        );
        assert.not.match(said, /s3cret|wo4rd|anna|example/, login);
      }
    }
    for (const fine of ['s3cret-word', 's3c@r:t-pass', 's3c%23%3F%2F%40%3A%25', 's3c%41ret-word'])
      assert.is(refusalOf({ [name]: address(`anna:${fine}`), ...around(name) }), '', fine);
  });
}

test('a password with @ and : is read as it is meant, and other signs are where they are encoded', () => {
  assert.equal(readBroker('mqtt://anna:p@s:s%23@broker:1883').options.password, 'p@s:s#');
  const [receiver] = readSettings({
    PAPERGATE_ALERTS_TO: 'ntfy+https://:tk_@23%23%3F:9@ntfy.sh/papers',
  }).PAPERGATE_ALERTS_TO;
  assert.is(receiver?.secret, 'tk_@23#?:9');
});

test('an @ that belongs to no password stays what it is', () => {
  for (const fine of [
    'postgres://db:5432/papergate?user=anna@server',
    'postgres://anna:pass@db/papergate?application_name=a@b&user=c@d',
    'smtp://mail:25',
    'https://a.example/b@c',
    'https://a.example:8080/@anna?mail=a@b.example',
    'https://[::1]:80/@a',
    'mqtt://[fd00::1]:1883',
  ])
    assert.is(loginMistake(fine), undefined, fine);
});

test('addresses that only others hold leave the password out', () => {
  assert.match(refusalOf({ PAPERGATE_PUBLIC_URL: 'https://anna:12#x@papers.example' }), /leave out user and password/);
  assert.match(refusalOf({ PAPERGATE_FRAME_URL: 'https://anna:s3c#x@papers.example' }), /leave out user and password/);
  assert.match(refusalOf({ PAPERGATE_CATALOGUES: 'https://anna:1#2/x@papers.example' }), /without user and password/);
  assert.match(refusalOf({ S3_ENDPOINT: 'https://anna:s3/x@papers.example' }), /without user, bucket/);
});

test('characters beyond ASCII are read however often an address was', () => {
  for (let times = 0; times < 20_000; times++) {
    if (parseUrl('https://müll.example/Grüne') === undefined) assert.unreachable(String(times));
  }
  assert.is(parseUrl('https://a b'), undefined);
  assert.is(parseUrl('./ä', 'https://a.example/b/c')?.href, 'https://a.example/b/%C3%A4');
});

test.run();
