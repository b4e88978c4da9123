/** The vendor's editor, end to end: one paper sent to several frames, looked at on their glass (C-43, C-48). */
import { suite } from 'uvu';
import { type Orientation, panelOfKind } from '../../firmware-protocol/panels.ts';
import { glassIndices, glassPng } from '../../simulator/frame/glass.ts';
import { callApi } from '../call-api.ts';
import { corners, cornersSeen, editorParts } from '../papers/corner-cards.ts';
import { must } from '../papers/images-world.ts';
import { longTest } from '../some-times.ts';
import { eventually, type ServiceWorld, withService } from './world.ts';

const test = suite("pictures of the vendor's editor");

const frames = [
  { serial: 'epd7-0000000000e1', dialect: 'native' },
  { serial: 'epd7-0000000000e2', dialect: 'classic' },
  { serial: 'epd13-0000000000e3', dialect: 'native' },
  { serial: 'epd13-0000000000e4', dialect: 'classic' },
] as const;

/** The larger panel's pictures take their time where other tests run. */
const patienceMs = 120_000;

interface Device {
  readonly id: string;
  readonly kind: string;
  readonly serial: string;
}

async function devicesOf({ context }: ServiceWorld): Promise<readonly Device[]> {
  const known = async ({ serial }: { readonly serial: string }): Promise<Device> =>
    context.db('devices').where({ serial }).first('id', 'kind', 'serial');
  return Promise.all(frames.map(known));
}

longTest(test)(
  'deviceId A, upload, B, upload, A, upload: both glasses show the last one upright, in every orientation',
  () =>
    withService(async (world) => {
      const { person, organizationId: organization } = world;
      const fleet = await world.startFrames(frames);
      const devices = await devicesOf(world);

      async function sendTo(paperId: string, device: Device, orientation: Orientation, inks: readonly string[]) {
        const values = {
          deviceId: device.id,
          kind: 'image',
          organization,
          meta: { orientation, frameKind: device.kind },
        };
        await callApi(person, 'POST', `/v1/papers/${paperId}`, values);
        const form = new FormData();
        const panel = must(panelOfKind(device.kind));
        for (const [field, value] of await editorParts(panel, orientation, inks)) {
          form.append(field, typeof value === 'string' ? value : new Blob([new Uint8Array(value)]));
        }
        form.append('forceUpload', 'true');
        await callApi(person, 'POST', `/v1/papers/uploadSingleImage/${paperId}`, form);
      }

      for (const kind of ['epd7', 'openpaper13']) {
        const alike = devices.filter((device) => device.kind === kind);
        const [first] = alike;
        const panel = must(panelOfKind(kind));
        for (const orientation of ['landscape', 'portrait'] as const) {
          const json = { deviceId: first?.id, kind: 'image', organization, meta: { orientation } };
          const { id } = await callApi<{ id: string }>(person, 'POST', '/v1/papers/', json);
          for (const device of alike) await sendTo(id, device, orientation, ['black', 'black', 'white', 'white']);
          await sendTo(id, must(first), orientation, corners);
          for (const { serial, id: deviceId } of alike) {
            await eventually(
              `${orientation} on the glass of ${serial}`,
              async () => {
                const glass = fleet.frames.get(serial)?.state.glass;
                if (glass?.shows !== 'picture') return false;
                const seen = await cornersSeen(panel, await glassPng(panel, orientation, glassIndices(panel, glass)));
                return seen.join() === corners.join();
              },
              patienceMs,
            );
            await eventually(`the proof of ${serial}`, async () => {
              const path = `/v1/devices/${deviceId}`;
              const device = await callApi<{ deviceStatus: { pictureSynced: unknown } }>(person, 'GET', path);
              return device.deviceStatus.pictureSynced === true;
            });
          }
        }
      }
    }),
);

test.run();
