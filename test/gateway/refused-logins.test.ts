/** A scanner that tries logins without end fills no log (T-44). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { maxLines } from '../../gateway/broker/refused-logins.ts';
import { minuteMs } from '../../gateway/identity/count-per-minute.ts';
import { openLine } from './mqtt-line.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('refused logins');

async function scan(world: GatewayWorld, times: number): Promise<void> {
  for (let at = 0; at < times; at++) {
    const line = await openLine({ port: world.ports.plain });
    const name = `scan-${at}`;
    assert.is(await line.login({ clientId: name, username: name, password: 'guess' }), 5);
    line.vanish();
  }
}

test('T-44: a few lines a minute and address name the frames, then one line says how many were left out', async () => {
  await withGateway(async (world) => {
    const said = (wanted: string) => world.remarks.filter(({ message }) => message === wanted);
    await scan(world, maxLines.ofAddress + 3);
    assert.equal(
      said('login refused').map(({ fields }) => fields.frame),
      Array.from({ length: maxLines.ofAddress }, (_, at) => `scan-${at}`),
    );
    assert.equal(said('more logins refused'), []);
    world.clock.elapses(minuteMs);
    await until(() => said('more logins refused').length === 1, 'it is said');
    assert.equal(said('more logins refused')[0]?.fields, { leftOut: 3 });
    await scan(world, 1);
    assert.is(said('login refused').length, maxLines.ofAddress + 1, 'a new minute begins');
    world.clock.elapses(minuteMs);
    assert.is(said('more logins refused').length, 1, 'nothing was left out');
    assert.equal(world.warnings, [], 'no operator has to do anything about strangers');
  });
});

test('a wrong password of a frame of this service is a warning, also while strangers fill their lines', async () => {
  await withGateway(async (world) => {
    const serial = 'epd7-0000000000a1';
    await world.provision(serial, { withPassword: true });
    await scan(world, maxLines.ofAddress + 3);
    const line = await openLine({ port: world.ports.plain });
    assert.is(await line.login({ clientId: serial, username: serial, password: 'of another time' }), 5);
    line.vanish();
    assert.equal(
      world.warnings.map(({ fields, message }) => [fields.frame, message]),
      [[serial, 'login refused']],
    );
  });
});

test.run();
