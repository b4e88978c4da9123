/** Settings in the address of a render page: how they are written, and what never is. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withSettingsInAddress } from '../../api/drawing/settings-in-address.ts';

const test = suite('settings in the address');

const page = 'https://clock.example/render.html';
const written = (settings: Record<string, unknown>, properties: object = {}, address = page) =>
  withSettingsInAddress(address, settings, { formSchema: { type: 'object', properties } });

test('PAGE-29: settings stand in the query as the vendor’s service writes them', () => {
  const settings = { title: 'Küche & Co', count: 3, dark: false, none: null, absent: undefined };
  assert.is(written(settings), `${page}?title=K%C3%BCche%20%26%20Co&count=3&dark=false&none=`);
  assert.is(
    written({ list: ['a', 'b c'], map: { k: { x: 1 } } }),
    `${page}?list%5B0%5D=a&list%5B1%5D=b%20c&map%5Bk%5D%5Bx%5D=1`,
  );
  assert.is(written({ a: '2' }, {}, `${page}?a=1&b=1#c`), `${page}?b=1&a=2#c`);
  assert.is(written({}), page);
});

test('PAGE-29: what the schema calls a password or a secret is left out, and what no schema knows but its name tells', () => {
  const properties = {
    pin: { type: 'string', format: 'password' },
    key: { type: 'string', writeOnly: true },
    wordPath: { type: 'string' },
    showWifiPassword: { type: 'boolean' },
  };
  const settings = { pin: '1234', key: 'k', wordPath: 'w', showWifiPassword: true };
  assert.is(written(settings, properties), `${page}?wordPath=w&showWifiPassword=true`);
  const tokens = {
    accessToken: 'a',
    refresh_token: 'b',
    clientSecret: 'c',
    apiKey: 'd',
    auth: { token: 'e', kind: 'f' },
  };
  assert.is(written({ ...tokens, password: 'g' }), `${page}?auth%5Bkind%5D=f`);
  assert.is(withSettingsInAddress(page, { pin: 1 }, undefined), `${page}?pin=1`);
});

test.run();
