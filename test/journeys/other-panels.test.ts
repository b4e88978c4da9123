/** Boards with other panels, end to end: provisioned, registered over HTTP, and given a file for the panel they have. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { callApi } from '../call-api.ts';
import { nativeLine } from '../gateway/native-line.ts';
import { longTest } from '../some-times.ts';
import { eventually, type ServiceWorld, withService } from './world.ts';

const test = suite('other panels');

/** A registered board with a photograph on its paper, before it ever woke. */
async function hung(world: ServiceWorld, serial: string, kind?: string) {
  const { person, context, dataFolder, organizationId: organization } = world;
  const credential = await provisionFrame({ ...context, dataFolder }, { serial, kind });
  const path = `/devices/registerdevice/${serial}`;
  const { device } = await callApi<{ device: { id: string; kind: string } }>(person, 'POST', path, {
    enable: true,
    organization,
  });
  const paper = { deviceId: device.id, kind: 'image', organization, meta: {} };
  const { id } = await callApi<{ id: string }>(person, 'POST', '/papers/', paper);
  await world.showOn(id, [serial]);
  const form = new FormData();
  const photo = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  form.append('picture', new Blob([new Uint8Array(photo)]), 'photo.png');
  await callApi(person, 'POST', `/papers/uploadSingleImage/${id}`, form);
  const ports = { plain: 0, tls: Number(new URL(world.mqtts).port) };
  const line = await nativeLine({ ports, downloadsSettled: async () => {} }, serial, credential);
  return { kind: device.kind, line, deviceId: device.id };
}

const offered = (world: ServiceWorld, serial: string) =>
  eventually(`a picture for ${serial}`, () => world.context.db('uploads').where({ serial }).first('id'));

test('A-14: a board that was provisioned for its panel is drawn for it', () =>
  withService(async (world) => {
    const { kind, line } = await hung(world, 'board-1', 'bwr7');
    assert.is(kind, 'bwr7');
    await offered(world, 'board-1');
    await line.hello({ panel: 'bwr7' });
    const picture = await line.desired();
    assert.equal([picture?.format, picture?.bytes], ['planes', 96_004]);
    line.line.vanish();
  }));

longTest(test)('A-14: a board of no known panel is drawn for the one it names', () =>
  withService(async (world) => {
    const { kind, line, deviceId } = await hung(world, 'epd-1');
    assert.is(kind, 'epaper');
    await line.hello({ panel: 'bwr7' });
    await offered(world, 'epd-1');
    const shown = await callApi<{ kind: string }>(world.person, 'GET', `/devices/${deviceId}`);
    assert.is(shown.kind, 'bwr7');
    await eventually('the picture is told', async () => {
      const picture = await line.desired();
      return picture?.format === 'planes' && picture.bytes === 96_004;
    });
    line.line.vanish();
  }),
);

test.run();
