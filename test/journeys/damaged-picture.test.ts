/** A picture that the disk damaged before its frames came for it, end to end (T-67). */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adoptFrame } from '../../api/devices/adopt-frame.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { callApi } from '../call-api.ts';
import { longTest } from '../some-times.ts';
import { eventually, withService } from './world.ts';

const test = suite('damaged pictures');
const serials = { native: 'epd7-0000000000e1', classic: 'epd7-0000000000e2' } as const;

longTest(test)('T-67: what no frame may have is made again at once, and both dialects show the sound picture', () =>
  withService(async (world) => {
    const { context, dataFolder, person, organizationId } = world;
    const picture = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#00ff00' } })
      .png()
      .toBuffer();
    for (const serial of Object.values(serials)) {
      await provisionFrame({ ...context, dataFolder }, { serial });
      const { id } = await adoptFrame(context, serial, organizationId);
      const body = new FormData();
      body.append('picture', new Blob([new Uint8Array(picture)]), 'picture.png');
      await callApi(person, 'POST', `/devices/uploadSingleImage/${id}`, body);
    }
    const [first] = await context.db('uploads').orderBy('file_version');
    const file = join(dataFolder, 'pictures', first.picture_sha256);
    const sound = readFileSync(file);
    const damaged = Buffer.from(sound);
    damaged.fill(0x33, 1000, 2000);
    writeFileSync(file, damaged);

    const fleet = await world.startFrames([
      { serial: serials.native, dialect: 'native' },
      { serial: serials.classic, dialect: 'classic' },
    ]);
    for (const serial of Object.values(serials)) {
      await eventually(`${serial} shows the sound picture`, async () => {
        const glass = fleet.frames.get(serial)?.state.glass;
        return glass?.shows === 'picture' && glass.sha256 === first.picture_sha256;
      });
      await eventually(`${serial}: it is proven`, async () => {
        const { fetched_at, shown_at } = await context.db('uploads').where({ serial }).first();
        return fetched_at !== null && shown_at !== null;
      });
    }
    assert.equal(readFileSync(file), sound, 'the file is healed');
  }),
);

test.run();
