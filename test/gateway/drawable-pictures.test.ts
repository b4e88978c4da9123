/** No picture is offered or announced to a frame that is made for another panel than its own. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { panelOfFrame, whyNotDrawn } from '../../gateway/frames/named-panel.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { Refusal } from '../../reasons/refusals.ts';
import { transact } from '../../runtime/database/database.ts';
import { systemRandom } from '../../runtime/random.ts';
import { type NativeLine, nativeLine } from './native-line.ts';
import { type GatewayWorld, withGateway } from './world.ts';

const test = suite('pictures that a frame can draw');
const serial = 'epd7-b0c1d2e3f405';

async function awake(world: GatewayWorld): Promise<NativeLine> {
  const credential = await world.provision(serial);
  await world.activate(serial);
  return nativeLine(world, serial, credential);
}

/** Returns the outcome of an offer of a picture that is made for a panel. */
async function offered(world: GatewayWorld, panel: string): Promise<string> {
  const picture = { serial, revision: panel, sha256: 'a'.repeat(64), bytes: 9, format: 'planes', panel } as const;
  return transact(world.db, (trx) => world.gateway.offerPicture(trx, picture)).then(
    () => 'offered',
    (error: unknown) => {
      if (error instanceof Refusal) return error.code;
      throw error;
    },
  );
}

test('the panel that a frame names counts, else that of its kind; a name that nobody knows says nothing', () => {
  for (const [kind, panel, name] of [
    ['epd7', null, 'epd7'],
    ['epd7', 'bwr7', 'bwr7'],
    ['epd7', 'mine', 'epd7'],
    ['epd13', '', 'openpaper13'],
    ['epaper', null, undefined],
  ] as const) {
    assert.is(panelOfFrame({ kind, panel })?.name, name, `${kind} ${panel}`);
  }
  assert.is(whyNotDrawn({ kind: 'epaper', panel: null }, 'bwr7'), undefined);
  assert.is(whyNotDrawn({ kind: 'epd7', panel: null }, null), undefined, 'an offer from before that was kept');
  assert.match(whyNotDrawn({ kind: 'epd7', panel: 'bwr7' }, 'epd7') ?? '', /bwr7 .* epd7/);
});

test('a picture for another panel is refused before anything of it is written, also for a frame that has never spoken', () =>
  withGateway(async (world) => {
    const frame = await awake(world);
    assert.equal([await offered(world, 'epd7'), await offered(world, 'bwr7')], ['offered', 'other-panel']);
    await frame.hello({ panel: 'bwr7' });
    assert.equal([await offered(world, 'epd7'), await offered(world, 'bwr7')], ['other-panel', 'offered']);
    assert.is((await world.db('uploads').where({ serial })).length, 2);
  }));

test('a frame that comes to name another panel does not get what waits for it, until there is a picture for that one', () =>
  withGateway(async (world) => {
    const frame = await awake(world);
    await world.offer(serial, 'roses');
    await frame.hello({ panel: 'bwr7' });
    assert.is(await frame.desired(), undefined);
    const settings = { sleepTime: '900' };
    await transact(world.db, (trx) => world.gateway.configure(trx, serial, settings));
    await world.gateway.announceSettings(serial);
    assert.is(await frame.desired(), undefined, 'nor with a setting');
    // A boot counter that goes backwards: it may be a copy.
    await frame.hello({ panel: 'bwr7', boot: 3 });
    assert.is(await frame.desired(), undefined, 'nor when it is doubted');
    await frame.hello({ boot: 8 });
    assert.is((await frame.desired())?.format, 'nibble', 'mended, it gets what waits');
  }));

test('a frame that gets another kind gets no picture for the former one', () =>
  withGateway(async (world) => {
    const frame = await awake(world);
    await world.offer(serial, 'roses');
    await provisionFrame({ ...world, random: systemRandom(world.clock) }, { serial, kind: 'bwr7' });
    await frame.hello({ panel: 'bwr7' });
    assert.is(await frame.desired(), undefined);
    assert.is(await offered(world, 'bwr7'), 'offered');
    await world.gateway.announce(serial);
    assert.is((await frame.desired())?.format, 'planes');
  }));

test.run();
