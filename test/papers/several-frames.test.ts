/** C-43, C-45: one paper that the vendor's web application sends to several frames, one after the other. */
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { fetched, must, ok, photo, pixels } from './images-world.ts';
import { withDrawnLine } from './line-world.ts';

const test = suite('one paper for several frames');

const serials = ['epd7-00000000000a', 'epd7-00000000000b', 'epd7-00000000000c'] as const;

test('deviceId A, upload, B, upload, C, upload, A, upload: every frame shows and proves the newest picture', () =>
  withDrawnLine(async (world) => {
    const { call, admin, user, db, frames, clock, settles } = world;
    const { organizationId: organization } = admin;
    const devices: string[] = [];
    for (const serial of serials) {
      await frames.provision(serial);
      const json = { enable: true, organization };
      devices.push((await call('POST', `/devices/registerdevice/${serial}`, { as: admin, json })).json.device.id);
    }
    const meta = { orientation: 'landscape' };
    const json = { deviceId: devices[0], kind: 'image', organization, meta };
    const { id } = ok(await call('POST', '/v1/papers', { as: user, json })).json;
    const shownBy = () => db('devices').orderBy('serial').pluck('paper_id');
    // As the application does it: a frame that did not show the paper yet is sent the picture whatever it has.
    async function sendTo(deviceId: string, colour: string): Promise<void> {
      const paper = ok(await call('GET', `/v1/papers/${id}`, { as: user })).json;
      if (paper.deviceId !== deviceId) {
        const values = { deviceId, kind: paper.kind, organization: paper.organization, meta: paper.meta };
        ok(await call('POST', `/v1/papers/${id}`, { as: user, json: values }));
      }
      const device = ok(await call('GET', `/v1/devices/${deviceId}`, { as: user })).json;
      assert.is(device.paper, id);
      const body = new FormData();
      for (const field of ['picture', 'picture']) {
        body.append(field, new Blob([new Uint8Array(await photo(800, 480, colour))]), 'blob');
      }
      body.append('forceUpload', 'true');
      const { json: answer } = ok(await call('POST', `/v1/papers/uploadSingleImage/${id}`, { as: user, body }));
      assert.equal([answer.reason, answer.deviceId], ['force-upload', deviceId]);
      await settles();
    }

    const order = [0, 1, 2, 0].map((at) => must(devices[at]));
    const colours = ['#ff0000', '#ff0000', '#ff0000', '#00ff00'];
    for (const [turn, deviceId] of order.entries()) {
      await sendTo(deviceId, colours[turn] ?? '');
      const showing = Math.min(turn + 1, 3);
      assert.equal(
        await shownBy(),
        serials.map((_, at) => (at < showing ? id : null)),
        `after ${turn + 1}`,
      );
    }
    const { picture_revision: revision } = await db('papers').where({ id }).first();
    for (const [at, serial] of serials.entries()) {
      const log = uploadLog(db);
      const newest = must(await log.newest(serial));
      assert.is(newest.revision, `picture:${revision}`, serial);
      await log.fetched(newest.id, newest.file_version, clock.now());
      await log.shown(newest.id, newest.file_version, clock.now(), 'reported');
      const path = `/v1/devices/image/${devices[at]}/current-frame`;
      const glass = await pixels((await fetched(ok(await call('GET', path, { as: user })).json.url)).bytes);
      assert.equal([glass.at(700, 400), glass.at(5, 5)], ['27663c', '020202'], `${serial} shows the last picture`);
      const { results } = ok(await call('GET', `/v1/devices/upload-logs/${devices[at]}`, { as: user })).json;
      assert.equal([results[0].paperId, results[0].stages.at(-1).stage], [id, 'shown']);
    }
    // Another paper that is selected for one of them takes that one alone.
    const other = ok(await call('POST', '/v1/papers', { as: user, json: { ...json, deviceId: devices[1] } })).json;
    assert.equal(await shownBy(), [id, other.id, id]);
  }));

test.run();
