/** docs/getting-started.md, played as it stands there: its three terminals, with what each command printed filled in. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type DocumentedShell,
  documentedPage,
  freePort,
  openShell,
  playedCheckout,
} from '../documents/documented-shell.ts';
import { longTest } from '../some-times.ts';
import { environmentOf, eventually, withFolder } from './world.ts';

const test = suite('documented start');
const page = documentedPage('docs/getting-started.md');

/** Commands that a test cannot type, with the reason. */
const notPlayed: Readonly<Record<string, string>> = {
  'make setup': 'it installs packages of npm and of the system',
};

/** Commands that hold their terminal until Ctrl-C. */
const held = /^\.\/papergate (serve|simulate)\b/;

/** The placeholders in the page, and how the reader finds their values in what was printed. */
const printedAs: Readonly<Record<string, RegExp>> = {
  '<apiKey>': /^apiKey +(\S+)$/m,
  '<organizationId>': /^organizationId +(\S+)$/m,
  '<deviceId>': /^([0-9a-f]{24}) /m,
  '<paperId>': /^id +([0-9a-f]{24})$/m,
};

longTest(test)('the page leads from a checkout to a text and a photograph on a simulated frame', () =>
  withFolder(async (folder, rows) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const plain = { ...environmentOf(join(folder, 'data'), rows), PAPERGATE_HTTP_PORT: String(port) };
    await playedCheckout(folder);
    const env = { ...plain, PAPERGATE_URL: url };
    await sharp({ create: { width: 60, height: 36, channels: 3, background: 'red' } }).toFile(
      join(folder, 'holiday.jpg'),
    );
    const terminals = [1, 2, 3].map(() => openShell(folder, env));
    const [first, second, third] = terminals as [DocumentedShell, DocumentedShell, DocumentedShell];
    const found = new Map<string, string>();
    const left = new Set(Object.keys(notPlayed));

    /** Types the lines of a block one by one; what they print is noted for the next ones. */
    const type = async (terminal: DocumentedShell, block: string): Promise<void> => {
      for (const line of block.trim().split('\n')) {
        if (left.delete(line)) continue;
        let command = line.replaceAll('http://127.0.0.1:3000', url);
        for (const [name, value] of found) command = command.replaceAll(name, value);
        assert.not.match(command, /<\w+>/, `nothing that was printed tells what stands for a value of: ${line}`);
        if (held.test(command)) {
          terminal.start(command);
          continue;
        }
        const printed = await terminal.run(command);
        for (const [name, pattern] of Object.entries(printedAs)) {
          const value = pattern.exec(printed)?.[1];
          if (value !== undefined) found.set(name, value);
        }
      }
    };
    const glass = (): string | undefined => {
      const panels = join(folder, 'panels');
      const [name] = existsSync(panels) ? readdirSync(panels).filter((one) => one.endsWith('.png')) : [];
      return name && readFileSync(join(panels, name)).toString('base64');
    };

    try {
      const [start = '', setup = '', frame = '', text = '', photograph = '', ...more] = page.blocks('sh');
      assert.equal(more, []);
      await type(first, start);
      await eventually('the service is ready', async () => first.printed().includes('"event":"ready"'));
      await type(second, setup);
      await type(second, frame);
      const exported = setup.split('\n').filter((line) => line.startsWith('export '));
      await type(third, exported.join('\n'));
      await eventually('the frame is listed', async () =>
        /^[0-9a-f]{24} /m.test(await third.run('./papergate devices list')),
      );
      await type(third, text);
      const shown = await eventually('panels/ holds the text', async () => glass());
      assert.match(await third.run(`./papergate devices why ${found.get('<deviceId>')}`), /\S/);
      await type(third, photograph);
      await eventually('panels/ holds the photograph', async () => glass() !== shown);
      assert.equal([...left], []);
      await third.end();
      for (const terminal of [second, first]) await terminal.interrupt();
      assert.not(existsSync(join(folder, 'data/endpoints.json')), 'the service has ended by itself');
    } finally {
      for (const terminal of terminals) terminal.kill();
    }
  }),
);

test.run();
