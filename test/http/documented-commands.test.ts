/** Every curl command of the documents is one that the service takes: its method, its path and its body. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnyRoute } from '../../api/http/route.ts';
import { withHttp } from './world.ts';

const test = suite('documented commands');
const root = resolve(import.meta.dirname, '../..');

interface Command {
  readonly file: string;
  readonly method: string;
  readonly url: URL;
  readonly json: unknown;
}

/** The placeholders for values of the reader's own. */
const filledIn: readonly (readonly [placeholder: RegExp, value: string])[] = [
  [/\$URL/g, 'http://service'],
  [
    /\$(ORG|DEVICE|PAPER|CONNECTION|JOB)|<(device|paper|connection|source|sender|mail|chat)Id>/g,
    '0123456789abcdef01234567',
  ],
  [/<uploadUrl>/g, 'http://service/upload'],
  [/<inviteCode>/g, 'come-and-join'],
];

/** The words of a shell command, as far as our documents go: quotes, backslashes, comments. */
function wordsOf(command: string): string[] {
  const word = /\s*(#.*|(?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|[^\s'"#])+)/gy;
  const quoted = /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"/g;
  return [...command.matchAll(word)]
    .map(([, text = '']) => text)
    .filter((text) => !text.startsWith('#'))
    .map((text) => text.replaceAll(quoted, (_, plain, escaped) => plain ?? escaped.replaceAll(/\\([\s\S])/g, '$1')));
}

function commandOf(file: string, text: string): Command {
  const words = wordsOf(filledIn.reduce((filled, [placeholder, value]) => filled.replaceAll(placeholder, value), text));
  const after = (option: string): string | undefined =>
    words.includes(option) ? words[words.indexOf(option) + 1] : undefined;
  const body = after('-d');
  const sends = body !== undefined || words.includes('-F');
  return {
    file,
    method: after('-X') ?? (sends ? 'POST' : 'GET'),
    url: new URL(words.find((word) => word.startsWith('http')) ?? ''),
    json: body === undefined ? undefined : JSON.parse(body),
  };
}

function documented(): Command[] {
  const files = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
  return files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => {
      const blocks = [...readFileSync(join(root, file), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)];
      const commands = blocks.flatMap(([, block = '']) =>
        block.replaceAll('\\\n', ' ').match(/^curl (?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|[^'"\n])*/gm),
      );
      return commands.filter((command) => command !== null).map((command) => commandOf(file, command));
    });
}

function isFor(route: AnyRoute, { method, url }: Command): boolean {
  const path = route.path.replace(/\/$/, '').replaceAll(/:\w+/g, '[^/]+');
  return route.method === method && new RegExp(`^${path}/?$`).test(url.pathname);
}

test('every curl command of the documents has a route that takes its body', () =>
  withHttp(async ({ routes }) => {
    const commands = documented().filter(({ url }) => url.pathname !== '/upload');
    assert.ok(commands.length > 25, `${commands.length} were found`);
    for (const command of commands) {
      const said = `${command.file}: ${command.method} ${command.url.pathname}`;
      // A path without parameters goes before one that could hold its words, as in the router.
      const [route] = routes
        .filter((one) => isFor(one, command))
        .sort((a, b) => a.path.split(':').length - b.path.split(':').length);
      assert.ok(route, `${said}: no such route`);
      const query = route.query?.safeParse(Object.fromEntries(command.url.searchParams));
      assert.ok(query?.success !== false, `${said}: ${query?.error}`);
      if (command.json === undefined) continue;
      const body = route.body?.safeParse(command.json);
      assert.ok(body?.success, `${said}: ${body?.error ?? 'it takes no body'}`);
    }
  }));

test.run();
