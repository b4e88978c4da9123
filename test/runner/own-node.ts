/**
 * Goes on with the Node that `make setup` brought into this checkout where the one that was called is older, so that a test
 * command runs as `make test` does. What is started by hand imports it first.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startAgain } from '../../cli/start-again.mjs';

const root = join(import.meta.dirname, '../..');
const own = join(root, '.node/bin/node');
const ask = spawnSync(own, ['--version'], { encoding: 'utf8' });
const isOlder =
  ask.status === 0 && Number.parseInt(process.versions.node, 10) < Number.parseInt(ask.stdout.slice(1), 10);
if (isOlder) {
  process.env.PATH = `${join(own, '..')}:${process.env.PATH ?? ''}`;
  startAgain(own, {});
  await new Promise(() => {});
}
await import(join(root, 'bin/supported-node.mjs'));
