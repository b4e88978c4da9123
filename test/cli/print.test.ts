import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inertJson } from '../../runtime/inert-json.ts';
import { processLogger } from '../../runtime/logger.ts';
import { withHttp } from '../http/world.ts';
import { papergate } from './papergate.ts';

const test = suite('printing');

/** Of each sort one: C0, DEL, C1 (its CSI begins a sequence by itself), bidirectional marks, a separator, a tag. */
const tricks = '\u0007\u001b[2J\u007f\u0085\u009b2J\u202e\u2066\u200f\u2028\u2029\u{e0041}\u00ad';
const name = `Hall ${tricks} end`;
/** The characters that must not reach a terminal; lines end with a feed. */
const active = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test('no character from outside does anything to the terminal, and JSON says the same with it escaped', () =>
  withHttp(async ({ url, call, admin }) => {
    const { organizationId: organization } = admin;
    const device = (await call('POST', '/devices', { as: admin, json: { organization } })).json;
    await call('POST', `/devices/${device.id}`, { as: admin, json: { meta: { name } } });
    const json = { organization, deviceId: device.id, kind: 'image', meta: { title: name, [`key ${tricks}`]: [name] } };
    const paper = (await call('POST', '/papers', { as: admin, json })).json.id;
    const env = { PAPERGATE_URL: url, PAPERGATE_API_KEY: admin.key };
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await papergate(env, ...words);
      assert.not.match(stdout + stderr, active, words.join(' '));
      assert.is(code, 0, words.join(' '));
      return stdout;
    };
    assert.equal(JSON.parse(await run('papers', 'show', paper, '--json')).meta, json.meta);
    assert.is(JSON.parse(await run('devices', 'list', '--json'))[0].name, name);
    assert.match(await run('papers', 'show', paper), 'Hall');
    const typed = await papergate(env, 'papers', 'show', `${tricks.replaceAll('\u0007', '')}x`);
    assert.not.match(typed.stdout + typed.stderr, active);
    const wrong = await papergate(env, 'papers', 'list', `--x${name}`);
    assert.equal([wrong.code, active.test(wrong.stderr)], [2, false]);
  }));

test('a line of the log does nothing to a terminal, and says the same', () => {
  const lines: string[] = [];
  processLogger('info', { write: (line) => void lines.push(line) }).info({ frame: name, error: new Error(name) }, name);
  assert.not.match(lines.join(''), active);
  assert.equal([JSON.parse(lines[0] ?? '').frame, JSON.parse(lines[0] ?? '').msg], [name, name]);
});

test('JSON that holds nothing of the kind stays as it is', () => {
  const json = JSON.stringify({ text: 'Grüße, 你好, שלום, 👋🏽', more: '\n\t\\u202e' });
  assert.is(inertJson(`${json}\n`), `${json}\n`);
});

test('commands print by the functions of print.ts alone', () => {
  const folder = resolve(import.meta.dirname, '../../cli');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const writing = names.filter((file) =>
    /\b(std(out|err)\.write|console\.\w+)\(/.test(readFileSync(join(folder, file), 'utf8')),
  );
  assert.equal(writing.sort(), ['ground/print.ts', 'main.ts'], 'main.ts tells a fault with its stack');
});

test.run();
