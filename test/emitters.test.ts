/**
 * Guards emitters (T-75): whatever opens a socket, a server, a process or a thread listens for its errors in the same file,
 * because an error without a listener ends the process.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const root = resolve(import.meta.dirname, '..');

/** Calls that make an emitter whose errors come from outside. */
const opens =
  /\bnew (?:pg\.)?(?:Client|Pool|Worker)\(|(?<![.\w])(?:createServer|createPlainServer|createTlsServer|spawn|fork|connect|connectPlain|connectSecurely|request|createReadStream|createWriteStream)\(|\bAedes\.createBroker\(/;
/** A listener for errors that is one of the file's own lines. */
const listens = /\.(?:on|once|addListener)\(\s*'error'|for \(const event of \['error'/;

/** Files that need none, and why. */
const without: Readonly<Record<string, string>> = {
  'gateway/broker/trimmed-broker.ts': 'broker.ts listens on the broker that it makes',
  'gateway/dialects/classic.ts': 'its `request` is a message of a frame',
  'api/integration/exchange-grant.ts': 'its `connect` is a connection of the contract',
  'api/integration/settings-frame/settings-host.mjs': 'it runs in a browser',
  'api/http/uploaded-file.ts': 'its reader iterates over the stream, and gets the error',
  'api/recipes/liquid/context.ts': 'its `spawn` makes the variables of a part of a page',
  'cli/backup/archive.ts': 'restoreFrom iterates over the stream, and gets the error',
  'cli/backup/backup-key.ts': 'readBackup listens on the stream that it opens, and the decrypter on what it reads',
  'cli/backup/create-backup.ts': 'a pipeline has the one, and whoever iterates over the other gets the error',
  'cli/backup/find-files.ts': 'it iterates over the stream, and gets the error',
  'cli/backup/restore-backup.ts': 'its pipelines have them',
  'cli/deep/check-files.ts': 'it iterates over the stream, and gets the error',
  'cli/integrations/answer-files.ts': 'a pipeline has it',
  'cli/integrations/integrations-server.ts': 'the command ends with its own server',
  'cli/integrations/handlers/stand-ins.ts': 'its `request` stands in for that of Node, and emits errors itself',
  'cli/demo/integration.ts': 'the demo ends with its own server',
};

function opening(): { readonly path: string; readonly text: string }[] {
  return ['runtime', 'gateway', 'api', 'cli', 'client'].flatMap((floor) =>
    readdirSync(join(root, floor), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
      .filter(({ text }) => opens.test(text)),
  );
}

const test = suite('emitters');

test('anything that opens an emitter listens for its errors', () => {
  const found = opening();
  assert.ok(found.length > 10, `${found.length} files`);
  const deaf = found.filter(({ path, text }) => !listens.test(text) && !(path in without)).map(({ path }) => path);
  assert.equal(deaf, []);
  const gone = Object.keys(without).filter(
    (path) => !found.some((file) => file.path === path && !listens.test(file.text)),
  );
  assert.equal(gone, [], 'files that need no exception any more');
});

test.run();
