/** The program of docs/papers.md, as it stands there, against a real service with one frame. */
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

test('the program of docs/papers.md sends a picture, and ends once it is proven on the glass', () =>
  withService(async ({ http, person, dataFolder, startFrames, createPaper, showOn }) => {
    buildWhenOld();
    const fleet = await startFrames([{ serial, dialect: 'native' }]);
    const paperId = await createPaper('image');
    await showOn(paperId, [serial]);
    const folder = join(dataFolder, 'program');
    await mkdir(join(folder, 'node_modules'), { recursive: true });
    await symlink(resolve(import.meta.dirname, '../..'), join(folder, 'node_modules/papergate'));
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

test.run();
