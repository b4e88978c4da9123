/** Rollouts that an organization makes for its own frames, over HTTP. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addImage, openImages } from '../../gateway/firmware/images.ts';
import { rolloutLog } from '../../gateway/firmware/rollouts.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { type HttpWorld, type Person, withHttp } from '../http/world.ts';

const test = suite('firmware over HTTP');

async function addVersion({ db, clock, random, dataFolder }: HttpWorld, version: string): Promise<void> {
  const deps = { db, random, images: await openImages(dataFolder) };
  await addImage(deps, { kind: 'epd7', dialect: 'native', version, file: Buffer.from(version) }, clock.now());
}

/** Registers frames of an organization that run a firmware; returns their devices by serial. */
async function register(world: HttpWorld, as: Person, names: readonly string[], firmware: string) {
  const devices = new Map<string, string>();
  for (const name of names) {
    const serial = `epd7-${name}`;
    await world.frames.provision(serial);
    await frameRegistry(world.db).change(serial, { dialect: 'native', firmware }, 1);
    const json = { enable: true, organization: as.organizationId };
    const { json: answer } = await world.call('POST', `/devices/registerdevice/${serial}`, { as, json });
    devices.set(serial, answer.device.id);
  }
  return devices;
}

const base = ({ organizationId }: Person): string => `/organizations/${organizationId}/firmware/`;

async function offer(world: HttpWorld, as: Person, wish: object) {
  return world.call('POST', `${base(as)}rollouts/`, { as, json: { kind: 'epd7', version: '1.5.0', ...wish } });
}

test('who may write sees what the organization’s frames run, which are behind, and what there is', () =>
  withHttp(async (world) => {
    const { call, admin, user, stranger } = world;
    await addVersion(world, '1.5.0');
    await addVersion(world, '1.6.0-rc.1');
    await register(world, admin, ['a', 'b'], '1.4.0');
    await register(world, admin, ['c'], '1.6.0');
    await register(world, stranger, ['d'], '1.0.0');
    const { json } = await call('GET', base(admin), { as: user });
    const seen = json.versions.map(({ version, frames, behind, newest }: Record<string, unknown>) => [
      ...[version, frames, behind, newest],
    ]);
    assert.equal(seen.sort(), [
      ['1.4.0', 2, 2, '1.6.0-rc.1'],
      ['1.6.0', 1, 0, '1.6.0-rc.1'],
    ]);
    assert.is(json.images.length, 2);
    assert.equal(json.rollouts, []);
  }));

test('a rollout reaches the organization’s frames and nobody else’s, and is stopped and resumed', () =>
  withHttp(async (world) => {
    const { call, admin, stranger, db } = world;
    await addVersion(world, '1.5.0');
    const own = await register(world, admin, ['a', 'b'], '1.4.0');
    const theirs = await register(world, stranger, ['d'], '1.4.0');
    const made = await offer(world, admin, {});
    assert.is(made.status, 201, made.text);
    assert.equal([made.json.target, made.json.state, made.json.isOwn], [2, 'running', true]);
    const reached = async () => (await rolloutLog(db).reached()).map(({ serial }) => serial).sort();
    assert.equal(await reached(), [...own.keys()]);
    const path = `${base(admin)}rollouts/${made.json.id}`;
    const { json } = await call('GET', path, { as: admin });
    assert.equal(
      json.frames.map(({ phase, runs }: Record<string, unknown>) => [phase, runs]),
      [
        ['waiting', '1.4.0'],
        ['waiting', '1.4.0'],
      ],
    );
    assert.is((await call('POST', `${path}/pause`, { as: admin })).json.state, 'paused');
    assert.is((await call('POST', `${path}/pause`, { as: admin })).status, 409);
    assert.is((await call('POST', `${path}/resume`, { as: admin })).json.state, 'running');
    const foreign = `${base(stranger)}rollouts/${made.json.id}`;
    assert.is((await call('POST', `${foreign}/pause`, { as: stranger })).status, 404);
    assert.is((await call('GET', foreign, { as: stranger })).status, 404);
    assert.is((await offer(world, admin, { devices: [...theirs.values()] })).status, 404, 'a device of somebody else');
    assert.is((await offer(world, stranger, {})).status, 201, 'two organizations roll out side by side');
    assert.equal(await reached(), [...own.keys(), ...theirs.keys()].sort());
  }));

test('some frames are a percentage, which grows by the frames that it has not, or frames by name', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    await addVersion(world, '1.5.0');
    const devices = await register(world, admin, ['a', 'b', 'c', 'd'], '1.4.0');
    const framesOf = async (wish: object): Promise<string[]> => {
      const { json } = await offer(world, admin, wish);
      const shown = await call('GET', `${base(admin)}rollouts/${json.id}`, { as: admin });
      return shown.json.frames.map(({ serial }: { serial: string }) => serial);
    };
    const few = await framesOf({ percent: 1 });
    const half = await framesOf({ percent: 50 });
    assert.equal([few.length, half.length], [1, 2]);
    assert.ok(half.includes(few[0] ?? ''));
    assert.equal(await framesOf({ devices: [devices.get('epd7-c')] }), ['epd7-c']);
    const { json } = await call('GET', base(admin), { as: admin });
    assert.equal(
      json.rollouts.map(({ state }: { state: string }) => state),
      ['running', 'superseded', 'superseded'],
    );
  }));

test('what cannot be offered is refused with what to do: no such image, no such frame, both ways at once', () =>
  withHttp(async (world) => {
    const { admin, user, db } = world;
    await addVersion(world, '1.5.0');
    const none = await offer(world, admin, {});
    assert.equal([none.status, none.json.message], [409, 'The organization has no native frame of kind epd7']);
    const devices = await register(world, admin, ['a'], '1.4.0');
    const unknown = await offer(world, admin, { version: '9.9.9' });
    assert.equal([unknown.status, unknown.json.hint], [404, 'the operator adds it: ./papergate firmware add']);
    assert.is((await offer(world, admin, { percent: 10, devices: [...devices.values()] })).status, 400);
    assert.is((await offer(world, admin, { percent: 0 })).status, 400);
    assert.is((await offer(world, user, {})).status, 403);
    await frameRegistry(db).change('epd7-a', { dialect: 'classic' }, 2);
    assert.is((await offer(world, admin, {})).status, 409, 'nobody can offer firmware to one classic frame');
  }));

test('T-63: a frame that changed hands is no longer reached by the rollout of its former owner', () =>
  withHttp(async (world) => {
    const { admin, db } = world;
    await addVersion(world, '1.5.0');
    await register(world, admin, ['a', 'b'], '1.4.0');
    const { json } = await offer(world, admin, {});
    assert.ok(await rolloutLog(db).reaches(json, 'epd7-a'));
    await db('frames').where({ serial: 'epd7-a' }).increment('ownership');
    assert.not.ok(await rolloutLog(db).reaches(json, 'epd7-a'));
    assert.equal(
      (await rolloutLog(db).reached()).map(({ serial }) => serial),
      ['epd7-b'],
    );
  }));

test.run();
