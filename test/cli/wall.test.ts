import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hung } from '../record/hung-pictures.ts';
import { withCli } from './papergate.ts';

const test = suite('papergate wall');

test('the record comes as files, and its receipts are checked as they came', () =>
  withCli(async (world) => {
    const { run, json, admin, folder } = world;
    await hung(world, ['Roses', 'Lilies']);
    const at = ['--organization', admin.organizationId];
    const write = async (what: string, ...more: string[]): Promise<string> => {
      const file = join(folder, `record.${what}`);
      const printed = await json('wall', what, ...at, '--out', file, ...more);
      const text = await readFile(file, 'utf8');
      assert.equal(printed, { file, bytes: Buffer.byteLength(text) });
      return text;
    };
    assert.match(await write('csv'), /^frame,serial,since,until,ended,title.*Roses.*Lilies/s);
    assert.not.match(await write('csv', '--frame', 'epd7-00000000cafe'), /Roses/);
    assert.match(await write('pdf'), /Lilies/);
    await write('receipts');
    const checked = await run('verify', join(folder, 'record.receipts'));
    assert.is(checked.code, 0, checked.stderr);
    assert.match(checked.stdout, /^3 receipts/);
    const wrong = await run('wall', 'csv', ...at, '--out', join(folder, 'none', 'x.csv'));
    assert.is(wrong.code, 1, wrong.stderr);
    assert.match(wrong.stderr, /--out/);
    const one = await run('wall', 'receipts', ...at, '--out', join(folder, 'x'), '--frame', 'epd7-1');
    assert.match(one.stderr, /receipts are of all frames/);
  }));

test.run();
