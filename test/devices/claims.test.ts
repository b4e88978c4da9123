/** Claims of serials: bounded, ended by themselves, and worth nothing against the operator's word. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { endClaims, takeFrame } from '../../api/retention/end-ownership.ts';
import { type Answer, type HttpWorld, type Person, withHttp } from '../http/world.ts';

const test = suite('claims of serials');
const dayMs = 86_400_000;
const serialOf = (at: number): string => `epd7-0000000c1a${String(at).padStart(2, '0')}`;

function claim({ call }: HttpWorld, as: Person, at: number, organization = as.organizationId): Promise<Answer> {
  return call('POST', `/devices/provision/${serialOf(at)}`, { as, json: { organization } });
}

const comes = ({ db, clock }: HttpWorld, at: number) =>
  db('frames')
    .where({ serial: serialOf(at) })
    .update({ last_contact_at: clock.now() });

const serials = async ({ db }: HttpWorld): Promise<string[]> =>
  (await db('devices').whereNotNull('serial').orderBy('serial').select('serial')).map(({ serial }) => serial);

test('T-79: an organization has so many claims open, with those made from it; boards that came are none', () =>
  withHttp(
    async (world) => {
      const { admin, stranger, call } = world;
      for (let at = 0; at < 3; at++) assert.is((await claim(world, admin, at)).status, 201);
      const refused = await claim(world, admin, 3);
      assert.equal([refused.status, refused.json.code], [409, 'conflict']);
      assert.match(refused.json.message, /has 3 new frames whose boards have not logged in/);
      assert.match(refused.json.hint, /each expires after 14 days/);
      const second = (await call('POST', '/organizations/', { as: admin, json: { kind: 'home' } })).json.id;
      assert.is((await claim(world, admin, 3, second)).status, 409, 'another organization gives no more');
      assert.is((await claim(world, stranger, 4)).status, 201, 'others are untouched');
      await comes(world, 1);
      assert.equal(
        (await Promise.all([5, 6].map((at) => claim(world, admin, at)))).map(({ status }) => status).sort(),
        [201, 409],
      );
    },
    { maxClaims: 3 },
  ));

test('T-79: a claim under which no board came ends by itself, is logged, and the serial is free', () =>
  withHttp(async (world) => {
    const { admin, stranger, passes, call, db } = world;
    for (const at of [0, 1]) await claim(world, admin, at);
    await comes(world, 1);
    passes(13 * dayMs);
    await claim(world, admin, 2);
    assert.is(await endClaims(world, 14), 0);
    passes(1 * dayMs);
    assert.is(await endClaims(world, 14), 1);
    assert.equal(await serials(world), [serialOf(1), serialOf(2)]);
    const valid = await db('frame_certificates')
      .where({ serial: serialOf(0), revoked_at: null })
      .first();
    assert.is(valid, undefined, 'its credentials ended');
    const log = await call('GET', `/organizations/${admin.organizationId}/audit/`, { as: admin });
    const [newest] = log.json.entries;
    assert.equal([newest.action, newest.who.by, newest.object.name], ['device.released', 'service', serialOf(0)]);
    assert.is((await claim(world, stranger, 0)).status, 201);
    assert.is(await endClaims(world, 14), 0);
    // A board that came for a former owner does not make the next owner's claim one that is fulfilled.
    await comes(world, 0);
    passes(dayMs);
    const device = await db('devices')
      .where({ serial: serialOf(0) })
      .first();
    await takeFrame(world, device);
    assert.is((await claim(world, admin, 0)).status, 201);
    passes(15 * dayMs);
    assert.is(await endClaims(world, 14), 2);
    assert.equal(await serials(world), [serialOf(1)]);
  }));

test.run();
