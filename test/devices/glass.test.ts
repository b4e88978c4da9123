import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import { recordFrameEvent } from '../../gateway/frames/event-log.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { changeHands } from '../../gateway/provisioning/own-frame.ts';
import { type HttpWorld, type Person, withHttp } from '../http/world.ts';

const test = suite('glass');
const dayMs = 86_400_000;
const hourMs = 3_600_000;
const serial = 'epd7-0000000000aa';

async function hang({ frames, call }: HttpWorld, owner: Person, one = serial): Promise<string> {
  await frames.provision(one);
  const json = { enable: true, organization: owner.organizationId };
  return (await call('POST', `/devices/registerdevice/${one}`, { as: owner, json })).json.device.id;
}

/** A picture of one ink that the frame took and reported. */
async function shows(world: HttpWorld, ink: number, at: number, isConfirmed = false): Promise<string> {
  const { db, frames, random } = world;
  const panel = panelOfKind('epd7');
  if (panel === undefined) throw new Error('no panel');
  const file = packPicture(panel, 'portrait', new Uint8Array(panel.width * panel.height).fill(ink));
  const sha256 = await frames.storePicture(Buffer.from(file));
  const picture = {
    serial,
    revision: `picture:${ink}`,
    sha256,
    bytes: file.length,
    format: panel.packing,
    panel: 'epd7',
  };
  const { id } = await db.transaction((trx) => uploadLog(trx).offer(picture, { now: at, random }));
  const stages = { announced_at: at, fetched_at: at, shown_at: at, confirmed_at: isConfirmed ? at : null };
  await db('uploads').where({ id }).update(stages);
  return id;
}

test('readings go back ninety days, are thinned evenly, and begin with the present owner', () =>
  withHttp(async (world) => {
    const { admin, stranger, call, db, random, clock } = world;
    const id = await hang(world, admin);
    const path = `/devices/${id}/readings`;
    const now = clock.now();
    const wakes = async (at: number, payload: object): Promise<void> =>
      recordFrameEvent(db, random, { serial, type: 'hello', at, payload: { ...payload } });
    await wakes(now - 91 * dayMs, { batteryMv: 6000 });
    for (let hour = 300; hour > 0; hour--) await wakes(now - hour * hourMs, { batteryMv: 4200 + hour, rssi: -60 });
    await wakes(now - 1000, { batteryMv: 5100, rssi: -50, suspect: true });
    const read = async (query = '') => (await call('GET', `${path}${query}`, { as: admin })).json.readings;
    const fine = await read('?days=13&points=500');
    assert.is(fine.length, 300);
    assert.equal([fine[0].millivolts, fine[0].signal, fine[299].percent], [4500, -60, 0]);
    const coarse = await read('?days=13&points=10');
    assert.ok(coarse.length <= 10 && coarse.length >= 9, `${coarse.length} readings`);
    const times = coarse.map(({ at }: { at: string }) => at);
    assert.equal(times, [...times].sort());
    for (const wrong of ['days=91', 'points=1', 'points=501', 'days=x']) {
      assert.is((await call('GET', `${path}?${wrong}`, { as: admin })).status, 400, wrong);
    }
    assert.is((await call('GET', path, { as: stranger })).status, 404);
    await changeHands(db, serial, { now, random });
    assert.equal(await read(), [], 'a former owner’s wakes are shown to nobody');
  }));

test('what was on the glass is listed with its times, and drawn as long as its file is kept', () =>
  withHttp(async (world) => {
    const { admin, onlyself, stranger, call, db, clock, random } = world;
    const id = await hang(world, admin);
    const now = clock.now();
    const old = await shows(world, 0, now - 91 * dayMs);
    const first = await shows(world, 0, now - 3 * dayMs);
    const second = await shows(world, 1, now - 2 * dayMs, true);
    const path = `/devices/${id}/uploads`;
    const list = async (query = '', as = admin) => (await call('GET', `${path}${query}`, { as })).json;
    const all = await list();
    assert.equal(
      all.map(({ uploadId }: { uploadId: string }) => uploadId),
      [second, first],
    );
    assert.equal([all[0].until, all[0].level, all[0].shows], [null, 'confirmed', 'picture']);
    assert.equal([all[1].until, all[1].level], [all[0].since, 'reported shown']);
    assert.equal(await list('?limit=1'), [all[0]]);
    assert.equal(await list(`?before=${all[0].since}`), [all[1]]);
    assert.is((await call('GET', `${path}?before=x`, { as: admin })).status, 400);
    const draw = (uploadId: string, as = admin) => call('GET', `${path}/${uploadId}/picture`, { as });
    const { url } = (await draw(second)).json;
    const png = await fetch(url);
    assert.equal([png.status, png.headers.get('content-type')], [200, 'image/png']);
    assert.is(new URL((await draw(second)).json.url).pathname.split('/')[2], new URL(url).pathname.split('/')[2]);
    assert.not.equal((await draw(first)).json.url.split('?')[0], url.split('?')[0]);
    assert.is((await draw(random.id())).status, 404);
    for (const person of [onlyself, stranger]) assert.is((await draw(second, person)).status, 404);
    const elsewhere = await hang(world, stranger, 'epd7-0000000000bb');
    const borrowed = await call('GET', `/devices/${elsewhere}/uploads/${second}/picture`, { as: stranger });
    assert.is(borrowed.status, 404, 'an upload of another frame');
    await db('uploads')
      .where({ id: old })
      .update({ picture_sha256: 'f'.repeat(64) });
    const gone = await draw(old);
    assert.equal([gone.status, gone.json.code], [410, 'picture-gone']);
    await changeHands(db, serial, { now: clock.now(), random });
    assert.equal(await list(), []);
    assert.is((await draw(second)).status, 404);
  }));

test.run();
