/** T-63: a device that moves to another organization takes its frame along, and nothing that the frame was given. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { framedPaper, ok } from './images-world.ts';
import { gradient, withDrawnLine } from './line-world.ts';

const test = suite('devices that move');

test('nothing of the former owner is listed or explained, and an owner who returns starts over', () =>
  withDrawnLine(async (world) => {
    const { admin, stranger, call, db, settles } = world;
    const elsewhere = stranger.organizationId;
    const user = await db('users').where({ id: admin.userId }).first();
    await db('users').insert({ ...user, id: world.random.id(), organization_id: elsewhere });
    const paper = await framedPaper(world);
    const { deviceId, serial } = paper;
    ok(await paper.upload([['picture', await gradient()]]));
    await settles();
    const log = async (): Promise<{ paperId: string }[]> =>
      (await call('GET', `/devices/upload-logs/${deviceId}`, { as: admin })).json.results;
    assert.is((await log()).length, 1);
    const offers = () => db('uploads').where({ serial }).orderBy('file_version');
    const open = () => db('uploads').where({ serial, replaced_at: null });
    const move = async (organization: string): Promise<void> => {
      ok(await call('POST', `/devices/${deviceId}`, { as: admin, json: { organization } }));
      await settles();
    };

    await move(elsewhere);
    assert.equal(await log(), []);
    assert.equal(await open(), []);
    const all = `DateStart=0&DateEnd=${world.clock.now() + 1000}`;
    assert.equal((await call('GET', `/devices/events/${deviceId}?${all}`, { as: stranger })).json, []);
    const why = (await call('GET', `/devices/why/${deviceId}`, { as: stranger })).json;
    assert.equal([why.offered, why.fileVersion, why.lastFailure], [null, null, null]);
    assert.is((await call('GET', `/devices/image/${deviceId}/current-frame`, { as: stranger })).status, 404);

    await move(admin.organizationId);
    assert.equal(await log(), [], 'also of what was theirs before');
    ok(await call('POST', `/devices/${deviceId}`, { as: admin, json: { paper: paper.id } }));
    await settles();
    const [first, second] = await offers();
    assert.is(second?.picture_sha256, first.picture_sha256, 'the paper’s picture is offered anew');
    assert.ok(second.file_version > first.file_version, 'INV-32');
    assert.equal(
      (await open()).map(({ id }) => id),
      [second.id],
    );
    assert.equal(
      (await log()).map(({ paperId }) => paperId),
      [paper.id],
    );
  }));

test.run();
