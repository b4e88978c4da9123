/** The programs of docs/http-api.md, docs/frames-in-tests.md and docs/sandbox.md, as they stand there, against a real service. */
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listenForControl } from '../../cli/sandbox/control.ts';
import { movedClock } from '../../testbed/moved-time/moved-clock.ts';
import { documentedPage } from '../documents/documented-shell.ts';
import { withFolder, withService } from '../journeys/world.ts';
import { buildWhenOld } from '../runner/built.ts';
import { longTest } from '../some-times.ts';

const test = suite('documented client');
const serial = 'epd7-0000000000a7';

/** A folder in which a program finds the package. */
async function programFolder(dataFolder: string): Promise<string> {
  const folder = join(dataFolder, 'program');
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  await symlink(resolve(import.meta.dirname, '../..'), join(folder, 'node_modules/papergate'));
  return folder;
}

test('the program of docs/http-api.md sends a picture, and ends once it is proven on the glass', () =>
  withService(async ({ http, person, dataFolder, startFrames, createPaper, showOn }) => {
    buildWhenOld();
    const fleet = await startFrames([{ serial, dialect: 'native' }]);
    const paperId = await createPaper('image');
    await showOn(paperId, [serial]);
    const folder = await programFolder(dataFolder);
    const [program = '', ...more] = documentedPage('docs/http-api.md').blocks('js', 'From a program');
    assert.equal(more, []);
    assert.ok(program.trim().split('\n').length <= 12);
    await writeFile(join(folder, 'program.mjs'), program.replace('<paperId>', paperId));
    await sharp({ create: { width: 60, height: 36, channels: 3, background: 'red' } }).toFile(
      join(folder, 'holiday.jpg'),
    );
    const env = { PATH: process.env.PATH, PAPERGATE_URL: http, PAPERGATE_API_KEY: person.apiKey };
    const run = promisify(execFile)(process.execPath, ['program.mjs'], { cwd: folder, env, timeout: 60_000 });
    const { stdout, stderr } = await run;
    assert.equal([stdout, stderr], [`${serial} shows it, named\n`, '']);
    assert.is(fleet.frames.get(serial)?.state.glass.shows, 'picture');
  }));

longTest(test)(
  'the program of docs/frames-in-tests.md has a frame for a while, whose picture stays without a Wi-Fi',
  () =>
    withService(async ({ http, mqtt, person, dataFolder, organizationId, context }) => {
      buildWhenOld();
      const folder = await programFolder(dataFolder);
      const [program = '', ...more] = documentedPage('docs/frames-in-tests.md').blocks(
        'js',
        'Frames in your own tests',
      );
      assert.equal(more, []);
      await writeFile(join(folder, 'program.mjs'), program);
      const service = { PAPERGATE_URL: http, PAPERGATE_MQTT: mqtt, ORGANIZATION: organizationId };
      const env = { PATH: process.env.PATH, PAPERGATE_API_KEY: person.apiKey, ...service };
      const run = promisify(execFile)(process.execPath, ['program.mjs'], { cwd: folder, env, timeout: 60_000 });
      const { stdout, stderr } = await run;
      assert.equal([stdout, stderr], ['it stays\n', '']);
      assert.equal(await context.db('devices').select('serial'), []);
    }),
);

longTest(test)('the program of docs/frames-in-tests.md plays seeds, each with its hash', async () => {
  buildWhenOld();
  await withFolder(async (temporary) => {
    const folder = await programFolder(temporary);
    const [program = '', ...more] = documentedPage('docs/frames-in-tests.md').blocks('js', 'Seeds in your own tests');
    assert.equal(more, []);
    await writeFile(join(folder, 'program.mjs'), program);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['program.mjs'], { cwd: folder });
    assert.equal([stdout, stderr], ['17.1 64 true\n17.2 64 true\n17.3 64 true\n0 broken\n', '']);
  });
});

test('the program of docs/sandbox.md lets the time of a sandbox leap by two days', async () => {
  buildWhenOld();
  const clock = movedClock(Date.parse('2026-01-01T00:00:00Z'), () => false);
  const control = await listenForControl(clock, ({ message }) => assert.unreachable(message));
  try {
    await withFolder(async (temporary) => {
      const folder = await programFolder(temporary);
      const [program = '', ...more] = documentedPage('docs/sandbox.md').blocks('js');
      assert.equal(more, []);
      await writeFile(join(folder, 'program.mjs'), program);
      const env = { PATH: process.env.PATH, SANDBOX_TIME: control.address };
      const { stdout, stderr } = await promisify(execFile)(process.execPath, ['program.mjs'], { cwd: folder, env });
      assert.equal([stdout, stderr], ['48 hours later\n', '']);
    });
  } finally {
    await control.stop();
    await clock.stop();
  }
});

test.run();
