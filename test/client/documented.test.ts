/** The programs of docs/papers.md and docs/simulation.md, as they stand there, against a real service. */
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentedPage } from '../documents/documented-shell.ts';
import { withService } from '../journeys/world.ts';
import { buildWhenOld } from '../runner/built.ts';

const test = suite('documented client');
const serial = 'epd7-0000000000a7';

/** A folder in which a program finds the package. */
async function programFolder(dataFolder: string): Promise<string> {
  const folder = join(dataFolder, 'program');
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  await symlink(resolve(import.meta.dirname, '../..'), join(folder, 'node_modules/papergate'));
  return folder;
}

test('the program of docs/papers.md sends a picture, and ends once it is proven on the glass', () =>
  withService(async ({ http, person, dataFolder, startFrames, createPaper, showOn }) => {
    buildWhenOld();
    const fleet = await startFrames([{ serial, dialect: 'native' }]);
    const paperId = await createPaper('image');
    await showOn(paperId, [serial]);
    const folder = await programFolder(dataFolder);
    const [program = '', ...more] = documentedPage('docs/papers.md').blocks('js', 'From a program');
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

test('the program of docs/simulation.md has a frame for a while, whose picture stays without a Wi-Fi', () =>
  withService(async ({ http, mqtt, person, dataFolder, organizationId, context }) => {
    buildWhenOld();
    const folder = await programFolder(dataFolder);
    const [program = '', ...more] = documentedPage('docs/simulation.md').blocks('js', 'Frames in your own tests');
    assert.equal(more, []);
    await writeFile(join(folder, 'program.mjs'), program);
    const service = { PAPERGATE_URL: http, PAPERGATE_MQTT: mqtt, ORGANIZATION: organizationId };
    const env = { PATH: process.env.PATH, PAPERGATE_API_KEY: person.apiKey, ...service };
    const run = promisify(execFile)(process.execPath, ['program.mjs'], { cwd: folder, env, timeout: 60_000 });
    const { stdout, stderr } = await run;
    assert.equal([stdout, stderr], ['it stays\n', '']);
    assert.equal(await context.db('devices').select('serial'), []);
  }));

test.run();
