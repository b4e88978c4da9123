/** Simulated frames: made like any other, marked everywhere, played while their rows are there, and gone without a trace. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FrameToPlay, PlayFrame } from '../../api/simulated/frame-player.ts';
import { simulatedFleet } from '../../api/simulated/keep-playing.ts';
import { alone } from '../../cluster/alone.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { type HttpWorld, withHttp, worldKeys } from '../http/world.ts';
import { eventually } from '../journeys/world.ts';

const test = suite('simulated frames');

const doors = {
  mqtt: 'mqtt://127.0.0.1:1',
  http: 'http://127.0.0.1:1',
  told: { publicUrl: 'https://a', frameUrl: '' },
};

const make = ({ call, admin }: HttpWorld, kind: string, name: string, as = admin) =>
  call('POST', '/devices/simulated', { as, json: { organization: as.organizationId, kind, name } });

test('one has a name and a room of its own, and every answer says that it is not hardware', () =>
  withHttp(async (world) => {
    const { call, admin, user, db } = world;
    const offered = await call('GET', `/devices/simulated?organization=${admin.organizationId}`, { as: user });
    assert.is(offered.json.isOffered, true);
    assert.is(offered.json.left, 3);
    assert.equal(
      offered.json.kinds.map(({ kind, width, height, polls }: Record<string, unknown>) => [kind, width, height, polls]),
      [
        ['epd7', 800, 480, false],
        ['openpaper13', 1200, 1600, false],
        ['trmnl4', 800, 480, true],
      ],
    );
    const made = await make(world, 'openpaper13', '  Hallway ', user);
    assert.is(made.status, 201, made.text);
    const { id, name, meta, serialNumber } = made.json;
    assert.equal([name, meta.orientation, meta.sleepTime], ['Hallway', 'portrait', '60']);
    await call('POST', '/devices', { as: admin, json: { organization: admin.organizationId, kind: 'epd7' } });
    for (const path of ['/devices', '/devices/overview']) {
      const rows: { id: string; simulated: boolean }[] = (await call('GET', path, { as: admin })).json;
      assert.equal(
        rows.map((row) => [row.id === id, row.simulated]).sort(),
        [
          [false, false],
          [true, true],
        ],
        path,
      );
    }
    const { sealed } = await db('simulated_frames').where({ serial: serialNumber }).first('sealed');
    const { password_hash: hash } = await db('frames').where({ serial: serialNumber }).first('password_hash');
    assert.match(hash, /^[0-9a-f]{64}$/);
    assert.ok(!made.text.includes(sealed), 'its password is nobody’s');
    const audit = await call('GET', `/organizations/${admin.organizationId}/audit`, { as: admin });
    assert.ok(audit.text.includes('device.simulated'));
  }));

test('an organization has three, the service as many as its operator says, and none where they are switched off', () =>
  withHttp(
    async (world) => {
      const { call, admin, stranger } = world;
      for (const kind of ['epd7', 'trmnl4', 'epd7']) assert.is((await make(world, kind, 'Room')).status, 201);
      const full = await make(world, 'epd7', 'Room');
      assert.equal([full.status, full.json.reasons[0].code], [409, 'many-simulated']);
      assert.is((await make(world, 'epd7', 'Room', stranger)).status, 201);
      assert.is((await make(world, 'epd7', 'Room', stranger)).json.reasons[0].code, 'many-simulated');
      for (const json of [{ name: 'x', kind: 'seeede1001' }, { kind: 'epd7' }, { name: ' ', kind: 'epd7' }]) {
        const body = { organization: admin.organizationId, ...json };
        assert.is((await call('POST', '/devices/simulated', { as: admin, json: body })).status, 400);
      }
    },
    { maxSimulated: 4 },
  ));

test('the one who switched them off is named', () =>
  withHttp(
    async (world) => {
      const refused = await make(world, 'epd7', 'Room');
      assert.equal([refused.status, refused.json.reasons[0].code], [409, 'simulated-off']);
    },
    { maxSimulated: 0 },
  ));

/** A player that notes what it is asked. */
function notedPlayer() {
  const played: FrameToPlay[] = [];
  const pressed: string[] = [];
  const stopped: string[] = [];
  const keep = new Map<string, (flash: string) => void>();
  const play: PlayFrame = async (frame, _doors, kept) => {
    played.push(frame);
    keep.set(frame.serial, kept);
    return {
      pressButton: () => void pressed.push(frame.serial),
      stop: async () => void stopped.push(frame.serial),
    };
  };
  return { played, pressed, stopped, keep, play };
}

test('it is played by one process, its button is pressed once, its flash is kept, and another start goes on with it', () =>
  withHttp(async (world) => {
    const { call, admin, db, clock } = world;
    const { id, serialNumber: serial } = (await make(world, 'epd7', 'Kitchen')).json;
    const deps = { db, clock, logger: silentLogger, sealKey: worldKeys.seal };
    const idle = notedPlayer();
    const other = simulatedFleet({ ...deps, single: { ...alone.single, isOurs: () => false }, play: idle.play });
    other.start(doors);
    const noted = notedPlayer();
    const fleet = simulatedFleet({ ...deps, single: alone.single, play: noted.play });
    fleet.start(doors);
    await eventually('the frame is played', async () => noted.played.length === 1);
    const [frame] = noted.played;
    assert.equal([frame?.serial, frame?.kind, frame?.dialect, frame?.flash], [serial, 'epd7', 'native', null]);
    assert.is(frame?.password.length, 43);
    world.passes(1);
    assert.is((await call('POST', `/devices/simulated/${id}/button`, { as: admin })).status, 200);
    fleet.nudge();
    fleet.nudge();
    await eventually('the button is pressed', async () => noted.pressed.length > 0);
    noted.keep.get(serial)?.('{"boots":1}');
    await eventually('the flash is kept', async () => (await db('simulated_frames').first('flash')).flash !== null);
    await fleet.stop();
    assert.equal([noted.pressed, noted.stopped], [[serial], [serial]]);
    const again = notedPlayer();
    const anew = simulatedFleet({ ...deps, single: alone.single, play: again.play });
    anew.start(doors);
    await eventually('it is played again', async () => again.played[0]?.flash === '{"boots":1}');
    await anew.stop();
    await other.stop();
    assert.equal([again.pressed, idle.played], [[], []]);
  }));

test('T-66: with the device of a simulated frame everything goes that is known of it, whichever way it is removed', () =>
  withHttp(async (world) => {
    const { call, admin, db, clock, random } = world;
    const noted = notedPlayer();
    const deps = { db, clock, logger: silentLogger, sealKey: worldKeys.seal, single: alone.single, play: noted.play };
    const fleet = simulatedFleet(deps);
    const made = [(await make(world, 'epd7', 'Kitchen')).json, (await make(world, 'trmnl4', 'Study')).json];
    fleet.start(doors);
    await eventually('both are played', async () => noted.played.length === 2);
    for (const { serialNumber: serial } of made) {
      const event = { id: random.id(), serial, type: 'connect', at: clock.now(), payload: '{}' };
      await db('frame_events').insert(event);
      await db('battery_days').insert({ serial, day: 1, samples: 1, min_mv: 1, sum_mv: 1 });
    }
    const { organizationId: organization } = admin;
    assert.is((await call('DELETE', `/devices/${made[0].id}`, { as: admin })).status, 200);
    const released = { as: admin, json: { enable: false, organization } };
    const path = `/devices/registerdevice/${made[1].serialNumber}`;
    assert.is((await call('POST', path, released)).status, 200);
    const left = async (): Promise<string[]> => {
      fleet.nudge();
      const tables = ['simulated_frames', 'frames', 'frame_events', 'battery_days', 'devices'];
      const counted = await Promise.all(
        tables.map(async (table) => [
          table,
          await db(table).whereIn(
            'serial',
            made.map((one) => one.serialNumber),
          ),
        ]),
      );
      return counted.filter(([, rows]) => rows?.length !== 0).map(([table]) => String(table));
    };
    await eventually('nothing is left', async () => (await left()).length === 0);
    await fleet.stop();
    assert.equal(noted.stopped.sort(), made.map(({ serialNumber }) => serialNumber).sort());
    assert.is((await make(world, 'epd7', 'Kitchen')).status, 201);
  }));

test.run();
