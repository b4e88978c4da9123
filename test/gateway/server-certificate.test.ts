/** The broker's own certificate: its names, and its renewal while frames are connected. */
import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asServerName, serverNames } from '../../api/service/settings/server-names.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { openLine } from './mqtt-line.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('the broker’s certificate');
const serial = 'epd7-b0c1d2e3f405';
const day = 86_400_000;

/** Returns the certificate that the broker shows to anyone who dials it now. */
function shown(world: GatewayWorld): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: world.ports.tls, rejectUnauthorized: false }, () => {
      const certificate = socket.getPeerX509Certificate();
      socket.destroy();
      if (certificate === undefined) reject(new Error('it shows none'));
      else resolve(certificate);
    });
    socket.once('error', reject);
  });
}

test('a running broker renews it before its end, and no connection notices', async () => {
  await withGateway(async (world) => {
    const { password = '', root } = await world.provision(serial, { withPassword: true });
    const line = await openLine({ port: world.ports.tls, root });
    assert.is(await line.login({ clientId: serial, username: serial, password }), 0);
    const first = await shown(world);
    const daysUntilChange = async (before: X509Certificate): Promise<number> => {
      let days = 0;
      // The next look is set when the last is over: a day may have to pass twice.
      await until(async () => {
        world.clock.elapses(day);
        days++;
        return (await shown(world)).fingerprint256 !== before.fingerprint256;
      }, 'another one is shown');
      return days;
    };
    world.clock.elapses(360 * day);
    assert.ok((await daysUntilChange(first)) > 5, 'while it has 30 days left it is kept');
    const second = await shown(world);
    assert.ok(Date.parse(second.validTo) > Date.parse(first.validTo) + 360 * day);
    assert.ok(second.verify(new X509Certificate(root).publicKey));
    await line.ping();
    world.clock.elapses(370 * day);
    await daysUntilChange(second);
  });
});

test('it is kept from start to start, and issued again when the names change', async () => {
  await withGateway(async ({ dataFolder, clock }) => {
    const authority = await openAuthority(dataFolder, clock.now());
    const issue = async (...names: string[]) => (await authority.server(names, clock.now())).certificate;
    const given = 'Frames.Example.org, 2001:DB8:0::6 ,10.0.0.9,::1';
    const names = readSettings({ PAPERGATE_MQTT_NAMES: given }).PAPERGATE_MQTT_NAMES;
    assert.equal(names, ['frames.example.org', '2001:db8::6', '10.0.0.9', '::1']);
    const first = await issue(...names);
    assert.is(await issue(...names), first);
    assert.is(await issue(...[...names].reverse()), first);
    const certificate = new X509Certificate(first);
    assert.is(certificate.checkHost('frames.example.org'), 'frames.example.org');
    for (const address of ['2001:db8::6', '10.0.0.9']) assert.is(certificate.checkIP(address), address);
    const more = await issue(...names, 'other.example.org');
    assert.is.not(more, first);
    assert.is(new X509Certificate(more).checkHost('other.example.org'), 'other.example.org');
  });
});

test('set names are added to the derived ones; what is not a name is refused by its words', () => {
  const settings = readSettings({
    PAPERGATE_MQTT_HOST: '0.0.0.0',
    PAPERGATE_MQTT_NAMES: 'frames.example.org,127.0.0.1',
    PAPERGATE_FRAME_URL: 'http://[2001:DB8::9]:3000',
  });
  const names = serverNames(settings);
  for (const name of ['localhost', '127.0.0.1', '::1', '2001:db8::9', 'frames.example.org']) {
    assert.is(names.filter((known) => known === name).length, 1, name);
  }
  assert.not.ok(names.includes('0.0.0.0'));
  assert.throws(
    () => readSettings({ PAPERGATE_MQTT_NAMES: 'good.example, two words,-x' }),
    ({ message }: Error) =>
      message ===
      'PAPERGATE_MQTT_NAMES: "two words" is neither a host name nor an IP address\nPAPERGATE_MQTT_NAMES: "-x" is neither a host name nor an IP address',
  );
  const wrong = ['', 'a..b', 'a_b', 'https://a.example', 'a.example:8883', '10.0.0', '256.1.1.1', 'fe80::1%eth0'];
  for (const text of [...wrong, '*.example', `${'a'.repeat(64)}.example`, 'bücher.example']) {
    assert.is(asServerName(text), undefined, text);
  }
});

test.run();
