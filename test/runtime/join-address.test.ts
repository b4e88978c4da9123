import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reachableAddress } from '../../api/http/listen.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { dialledHost, isEveryAddress, isHost, joinAddress } from '../../runtime/join-address.ts';

const test = suite('addresses of a host and a port');

test('an address of IPv6 stands in brackets, whatever the scheme, and the port stays', () => {
  const joined: readonly (readonly [host: string, address: string])[] = [
    ['::1', '[::1]'],
    ['::', '[::]'],
    ['2001:DB8:0:0::1', '[2001:db8::1]'],
    ['::ffff:192.0.2.7', '[::ffff:c000:207]'],
    ['fe80::1%eth0', '[fe80::1]'],
    ['192.0.2.7', '192.0.2.7'],
    ['localhost', 'localhost'],
  ];
  for (const [host, written] of joined) {
    for (const scheme of ['http', 'mqtt', 'mqtts'] as const) {
      for (const port of [80, 1883, 8883]) {
        const address = joinAddress(scheme, host, port);
        assert.is(address, `${scheme}://${written}:${port}`);
        assert.ok(URL.canParse(address), address);
      }
    }
  }
});

test('what a server listens on everywhere becomes something that can be dialled, however it is written', () => {
  for (const host of ['::', '0.0.0.0', '::0', '0:0:0:0:0:0:0:0', '0']) {
    assert.ok(isEveryAddress(host), host);
    assert.is(dialledHost(host), '127.0.0.1', host);
    assert.is(reachableAddress(host, 3000), 'http://127.0.0.1:3000', host);
  }
  for (const host of ['::1', '127.0.0.1', 'localhost', '10.0.0.0', '::2']) {
    assert.not.ok(isEveryAddress(host), host);
    assert.is(dialledHost(host), host);
  }
  assert.is(reachableAddress('::1', 3000), 'http://[::1]:3000');
});

test('a variable that is not a host is refused by its name, before anything is joined from it', () => {
  for (const text of ['', 'a b', 'http://x', 'x/y', 'x:80', '[::1]', 'a@b', '1.2.3.999', ':::']) {
    assert.not.ok(isHost(text), text);
    for (const variable of ['PAPERGATE_HTTP_HOST', 'PAPERGATE_MQTT_HOST']) {
      if (text !== '') assert.throws(() => readSettings({ [variable]: text }), new RegExp(variable), text);
    }
  }
});

test.run();
