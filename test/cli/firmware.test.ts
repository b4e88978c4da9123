/**
 * `papergate firmware`, as the operator of the machine types it. The refusals of images and rollouts are tested in the
 * gateway.
 */
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { maxImageBytes } from '../../gateway/firmware/images.ts';
import { foundService, papergate, withScratchFolder } from './papergate.ts';

const test = suite('papergate firmware');
const which = ['--kind', 'epd7', '--version', '1.5.0'];

test('an image is taken in, offered, raised, paused and resumed, and listed with how its frames fare', async () => {
  await withScratchFolder(async (folder) => {
    await foundService(folder);
    const type = (...words: string[]) => papergate({ PAPERGATE_DATA: folder }, 'firmware', ...words);
    const json = async (...words: string[]) => {
      const { code, stdout, stderr } = await type(...words, '--json');
      assert.is(code, 0, stderr);
      return JSON.parse(stdout);
    };
    const image = join(folder, 'image.bin');
    await writeFile(image, Buffer.alloc(5000, 7));
    const added = await json('add', image, ...which);
    assert.equal([added.kind, added.dialect, added.version, added.bytes], ['epd7', 'native', '1.5.0', 5000]);
    const rollout = await json('offer', ...which, '--percent', '10');
    assert.equal([rollout.target, rollout.state, rollout.supersedes], ['10 %', 'running', null]);
    assert.is(rollout.reaches, '10 % of the native epd7 frames; classic frames are not reached');
    assert.is((await json('raise', rollout.rollout, '30')).target, '30 %');
    assert.is((await json('pause', rollout.rollout)).state, 'paused');
    const [heading = '', row = ''] = (await type('list')).stdout.split('\n');
    assert.match(heading, /^ROLLOUT +KIND +DIALECT +VERSION +TARGET +STATE +OFFERED +STARTED +UPDATED +LOST +REASON$/);
    assert.match(row, /^[0-9a-f]{24} +epd7 +native +1\.5\.0 +30 % +paused +0 +0 +0 +0 +by a person$/);
    assert.is((await json('resume', rollout.rollout)).state, 'running');
    assert.equal(await json('frames', rollout.rollout), []);
  });
});

test('files that cannot be images are refused unread, and words that make no sense with exit code 2', async () => {
  await withScratchFolder(async (folder) => {
    const huge = join(folder, 'huge.bin');
    const file = await open(huge, 'w');
    await file.truncate(maxImageBytes + 1);
    await file.close();
    const refused: readonly [words: string[], code: number, said: string][] = [
      [['add', huge, ...which], 1, `${huge} has ${maxImageBytes + 1} bytes`],
      [['add', join(folder, 'none'), ...which], 1, `${join(folder, 'none')} cannot be read`],
      [['offer', ...which, '--percent', '0'], 2, '--percent 0'],
      [['offer', ...which, '--percent', '5', '--frame', 'epd7-a'], 2, '--percent and --frame'],
    ];
    for (const [words, code, said] of refused) {
      const ended = await papergate({ PAPERGATE_DATA: folder }, 'firmware', ...words);
      assert.is(ended.code, code, words.join(' '));
      assert.ok(ended.stderr.startsWith(said), `${words.join(' ')}: ${ended.stderr}`);
    }
  });
});

test.run();
