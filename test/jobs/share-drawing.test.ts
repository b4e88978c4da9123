import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { shareDrawing } from '../../api/jobs/share-drawing.ts';
import { epd7, panels } from '../../firmware-protocol/panels.ts';

const test = suite('drawing for many frames');

type Prepare = Parameters<typeof shareDrawing>[0];

/** A way to prepare that counts how often it is asked, and fails as often as it is told to. */
function counted(failures = 0) {
  const asked: string[] = [];
  const prepare = async (image: Uint8Array, { panel, orientation }: Parameters<Prepare>[1]) => {
    asked.push(`${Buffer.from(image)} ${panel.name} ${orientation}`);
    if (asked.length <= failures) throw new Error('as told');
    return { file: image, sha256: String(asked.length), preview: async () => undefined };
  };
  return { asked, share: shareDrawing(prepare as unknown as Prepare) };
}

const options = { sharer: ['home', 'a'], panel: epd7, orientation: 'portrait', fit: 'cover' } as const;
const other = Object.values(panels).find(({ name }) => name !== epd7.name) ?? epd7;

test('a thousand frames of one panel cost one drawing; another panel, orientation or picture costs another', async () => {
  const { asked, share } = counted();
  const image = Buffer.from('plan');
  for (let frame = 0; frame < 1_000; frame++) {
    await share(Buffer.from(image), { ...options, sharer: ['home', `frame ${frame}`] });
  }
  assert.is(asked.length, 1);
  await share(image, { ...options, orientation: 'landscape' });
  await share(image, { ...options, panel: other });
  await share(Buffer.from('menu'), options);
  await share(image, options);
  assert.is(asked.length, 4);
});

test('frames that are given it at once wait for one drawing, and a failure is tried again', async () => {
  const { asked, share } = counted(1);
  const image = Buffer.from('plan');
  const outcomes = await Promise.allSettled([share(image, options), share(image, options)]);
  assert.equal(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.is(asked.length, 1);
  assert.is((await share(image, options)).sha256, '2');
});

test.run();
