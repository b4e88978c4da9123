import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { program } from '../../cli/commands.ts';
import { asTypedHere, commandName } from '../../runtime/command-here.ts';
import { withFolder } from '../journeys/world.ts';
import { buildWhenOld } from '../runner/built.ts';

const test = suite('how the command is called');
const root = join(import.meta.dirname, '../..');

test('a checkout says ./papergate, and a path, an address and the product stay as they are', () => {
  assert.is(commandName, './papergate');
  for (const [said, typed] of [
    [
      'papergate doctor and papergate backup create say why',
      './papergate doctor and ./papergate backup create say why',
    ],
    ['start it with papergate serve', 'start it with ./papergate serve'],
    ['./papergate setup', './papergate setup'],
    ['/opt/papergate/bin/papergate serve', '/opt/papergate/bin/papergate serve'],
    ['--allow-scripts=papergate PACKAGE', '--allow-scripts=papergate PACKAGE'],
    ['Papergate runs', 'Papergate runs'],
    ['a newer version of papergate', 'a newer version of papergate'],
  ] as const) {
    assert.is(asTypedHere(said), typed);
  }
});

test('a package, which has no such link, says papergate', () =>
  withFolder(async (folder) => {
    buildWhenOld();
    mkdirSync(join(folder, 'dist'));
    cpSync(join(root, 'dist/package.json'), join(folder, 'dist/package.json'));
    for (const file of ['command-here.js', 'typescript.mjs'])
      cpSync(join(root, 'dist/runtime', file), join(folder, 'dist/runtime', file));
    const packed = await import(join(folder, 'dist/runtime/command-here.js'));
    assert.equal([packed.commandName, packed.asTypedHere('papergate setup')], ['papergate', 'papergate setup']);
  }));

test('in a checkout any Node hands the command over to the one that make setup brought', () =>
  withFolder(async (folder) => {
    for (const file of ['bin/papergate.mjs', 'cli/start-again.mjs', 'cli/papergate.mjs'])
      cpSync(join(root, file), join(folder, file));
    mkdirSync(join(folder, '.node/bin'), { recursive: true });
    writeFileSync(join(folder, '.node/bin/node'), '#!/bin/sh\necho "own $*"\nexit 3', { mode: 0o755 });
    const args = [join(folder, 'bin/papergate.mjs'), 'devices', 'list'];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.equal([status, stdout], [3, `own ${args.join(' ')}\n`]);
  }));

test('what a text calls papergate before a word is a command', () => {
  const files = ['api/words', 'console'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?:^|\/)(?:languages\/)?[a-z]{2}\.json$/.test(name))
      .map((name) => join(folder, name)),
  );
  const commands = new Set(program.commands.map((command) => command.name()));
  const wrong = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\bpapergate ([a-z]\S*)/g)]
      .filter(([, word = '']) => !commands.has(word.replace(/\W+$/, '')))
      .map(([text]) => `${file}: ${text}`),
  );
  assert.ok(files.length > 15, `${files.length} files`);
  assert.equal(wrong, []);
});

test.run();
