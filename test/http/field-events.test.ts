/** The events of a frame, and its shadow, as the vendor's application reads them below /v1. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EventType, recordFrameEvent } from '../../gateway/frames/event-log.ts';
import { isoTime } from '../../runtime/clock.ts';
import { type HttpWorld, withHttp } from './world.ts';

const test = suite('events and shadows below /v1');
const serial = 'epd7-0a0b0c0d0e0f';

/** A registered frame, and a word for what happens to it. */
async function hang({ call, frames, admin, db, clock, random }: HttpWorld) {
  await frames.provision(serial);
  const json = { enable: true, organization: admin.organizationId };
  const { createdDevice } = (await call('POST', `/v1/devices/registerdevice/${serial}`, { as: admin, json })).json;
  let at = clock.now() - 60_000;
  const happens = (type: EventType, payload: Record<string, unknown>) =>
    recordFrameEvent(db, random, { serial, type, at: at++, payload });
  return { id: createdDevice.id as string, createdDevice, happens };
}

const wake = {
  fileVersion: 7,
  firmware: '3.0.21',
  batteryMv: 4870,
  wake: 'button',
  orientation: 2,
  storedTimeoutSeconds: 900,
};

async function someHistory(world: HttpWorld): Promise<string> {
  const { id, happens } = await hang(world);
  await happens('hello', wake);
  await happens('picture', { stage: 'offered', fileVersion: 8 });
  await happens('picture', { stage: 'shown', fileVersion: 8 });
  await happens('picture', { stage: 'failed', reason: 'update_failed' });
  await happens('state', { state: 'download_ok' });
  await happens('disconnect', {});
  return id;
}

const lists = ['devices', 'iotdevice'];

test('both lists stand next to the device, without a range too, by the vendor’s types and in the service’s own words (C-10)', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const id = await someHistory(world);
    for (const list of lists) {
      const { status, json } = await call('GET', `/v1/${list}/events/${id}`, { as: admin });
      assert.is(status, 200, list);
      assert.is(json.device.id, id);
      const seen = json.message.map(({ EventType, type }: Record<string, string>) => `${EventType} ${type}`);
      assert.equal(seen, [
        'activate hello',
        'picture picture',
        'state picture',
        'state picture',
        'state state',
        'disconnect disconnect',
      ]);
      for (const { EventTimestamp, timestamp } of json.message) assert.is(EventTimestamp, timestamp);
      const said = json.message.flatMap((event: Record<string, string>) => event.json ?? []).map(JSON.parse);
      assert.equal(said, [
        { file: '7', fw: '3.0.21', bat: '4870', wake: 'BUTTON', orient: '2', timeout: '900' },
        { state: 'update_ok' },
        { state: 'update_failed' },
        { state: 'download_ok' },
      ]);
      const until = new URLSearchParams({
        DateStart: '2020-01-01T00:00:00+01:00',
        DateEnd: isoTime(world.clock.now()),
      });
      assert.is((await call('GET', `/v1/${list}/events/${id}?${until}`, { as: admin })).json.message.length, 6);
    }
  }));

test('a type may be asked for in either’s words; one that is nobody’s is 400', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const id = await someHistory(world);
    const types = async (filter: string) => {
      const answer = await call('GET', `/v1/iotdevice/events/${id}?TypeFilter=${filter}`, { as: admin });
      return answer.status === 200 ? answer.json.message.map(({ type }: { type: string }) => type) : answer.status;
    };
    assert.equal(await types('activate'), ['hello']);
    assert.equal(await types('state'), ['picture', 'picture', 'state']);
    assert.equal(await types('hello,%20disconnect'), ['hello', 'disconnect']);
    assert.equal(await types('picture'), ['picture', 'picture', 'picture']);
    assert.is((await types('')).length, 6);
    assert.is(await types('nothing'), 400);
    for (const list of lists) {
      const plain = await call('GET', `/${list}/events/${id}`, { as: admin });
      assert.is(plain.status, 400, 'the base URL wants a range');
    }
  }));

test('events of a stranger’s device are 404, whatever is asked for', () =>
  withHttp(async (world) => {
    const id = await someHistory(world);
    for (const list of lists) {
      assert.is((await world.call('GET', `/v1/${list}/events/${id}`, { as: world.stranger })).status, 404);
    }
  }));

test('the shadow is read below state, wherever a device is answered; the base URL keeps its own', () =>
  withHttp(async (world) => {
    const { call, admin, frames } = world;
    const { id, createdDevice } = await hang(world);
    await frames.provision(serial, { fileVersion: 7, pictureSynced: true });
    const get = async (path: string) => (await call('GET', path, { as: admin })).json;
    const post = async (path: string, json?: object, method = 'POST') =>
      (await call(method, path, { as: admin, ...(json && { json }) })).json;
    const devices = [
      createdDevice,
      await get(`/v1/devices/${id}`),
      (await get(`/v1/devices/ping/${id}`)).device,
      (await get(`/v1/devices/events/${id}`)).device,
      (await post(`/v1/devices/reset/${id}`)).device,
      await post(`/v1/devices/${id}`, { meta: { name: 'Hall' } }),
      await post(`/v1/devices/${id}`, { meta: { name: 'Stairs' } }, 'PATCH'),
      await post(`/v1/devices/${id}`, undefined, 'DELETE'),
    ];
    for (const [at, { shadow }] of devices.entries()) {
      assert.equal(shadow.state.reported, shadow.reported, String(at));
      assert.equal(shadow.state.desired, { sleepSeconds: 3600 }, String(at));
    }
    assert.is(devices[1].shadow.state.reported.fileVersion, 7);
    const bare = await post('/v1/devices', { organization: admin.organizationId });
    assert.equal(bare.shadow, { state: {} }, 'C-22: objects also where nothing is known');
    assert.equal((await get(`/devices/${bare.id}`)).shadow, {});
  }));

test.run();
