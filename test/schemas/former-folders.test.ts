/** Data folders as former states of the service left them: it opens them, their frames go on, and nothing of theirs is lost. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { upgradesFolder } from '../../api/service/open/service-context.ts';
import type { ClientCredentials } from '../../cli/ground/client.ts';
import { callApi } from '../call-api.ts';
import { papergate, withScratchFolder } from '../cli/papergate.ts';
import { eventually, pushOver } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { environmentOfFolder, folderFixtures, type KeptOutside, live, pictureOf, serve } from './former-folder.ts';

const test = suite('former folders');
const archives = join(import.meta.dirname, '../..', folderFixtures);
const releases = readdirSync(archives).map((name) => name.replace(/\.tar\.gz$/, ''));

test('there is a folder of each release', () => {
  assert.equal(releases.sort(), ['0.1.0']);
});

/** Hangs an image beside the picture that a frame proved before, and waits for the proof. */
async function showsAnother(person: ClientCredentials, deviceId: string): Promise<void> {
  const proven = () => callApi<{ shows: string; level: string }[]>(person, 'GET', `/devices/${deviceId}/uploads`);
  const form = new FormData();
  form.append('picture', new Blob([new Uint8Array(await pictureOf('blue'))]), 'blue.png');
  await callApi(person, 'POST', `/devices/uploadSingleImage/${deviceId}`, form);
  await eventually('the image is proven', async () => {
    const [last] = await proven();
    return last?.shows === 'deviceImage' && last.level === 'confirmed';
  });
}

for (const release of releases) {
  longTest(test)(`a service opens a data folder of ${release}, and its frames take the next picture`, () =>
    withScratchFolder(async (folder) => {
      execFileSync('tar', ['-xzf', join(archives, `${release}.tar.gz`), '-C', folder]);
      const kept = JSON.parse(await readFile(join(folder, 'people.json'), 'utf8')) as KeptOutside;
      const env = environmentOfFolder(folder);
      const foreseen = await papergate(env, 'migrate', '--dry-run');
      assert.is(foreseen.code, 0, foreseen.stderr);

      const service = await serve(folder);
      try {
        const hasCopy = existsSync(upgradesFolder(join(folder, 'data')));
        assert.is(hasCopy, !foreseen.stdout.startsWith('nothing to change'), foreseen.stdout);
        const person = { url: service.http, apiKey: kept.apiKey };
        const devices = await callApi<{ id: string; deviceId: string }[]>(person, 'GET', '/devices/');
        assert.equal(devices.map(({ deviceId }) => deviceId).sort(), kept.frames.map(({ serial }) => serial).sort());
        const before = await pushOver(service.http, kept.connection).status();
        assert.is(before.messageId, 'before');
        assert.equal(
          before.deliveries.map(({ state }) => state),
          ['synced', 'synced'],
        );
        const fleet = await live(kept.frames, service);
        try {
          for (const { id } of devices) await showsAnother(person, id);
        } finally {
          await fleet.stop();
        }
        const asked = { ...env, PAPERGATE_URL: service.http, PAPERGATE_API_KEY: kept.apiKey };
        const examined = await papergate(asked, 'doctor', '--deep');
        assert.is(examined.code, 0, examined.stdout + examined.stderr);
      } finally {
        await service.stop();
      }
    }),
  );
}

test.run();
