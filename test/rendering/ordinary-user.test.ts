/** R-10, T-11: the browser starts inside its sandbox for any user who runs the service, or not at all. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { typescriptArgs } from '../../runtime/typescript.mjs';
import { unlessUnable } from '../some-times.ts';
import type { RenderedOnce } from './render-once.ts';

const test = suite('ordinary user');

const root = resolve(import.meta.dirname, '../..');
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/** Runs a command as an ordinary user, in a folder of its own; as root as nobody. */
function asSomebody(command: readonly string[]): SpawnSyncReturns<string> {
  const folder = mkdtempSync(join(tmpdir(), 'papergate-somebody-'));
  try {
    if (isRoot) chownSync(folder, nobody, nobody);
    const drop = isRoot ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : [];
    const [program = '', ...args] = [...drop, ...command];
    const env = { HOME: folder, TMPDIR: folder, PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' };
    return spawnSync(program, args, { cwd: root, env, encoding: 'utf8', timeout: 90_000 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs where this checkout can be read. */
const readsCheckout = [process.execPath, ...typescriptArgs, '-e', 'process.exit(0)'];
const renderOnce = [process.execPath, ...typescriptArgs, 'test/rendering/render-once.ts'];

/** The tests of what an ordinary user does: skipped where nobody else may read this checkout, run node, or do so. */
function testsAfter(probe: readonly string[]): ReturnType<typeof unlessUnable> {
  const { status, stderr, error } = asSomebody(probe);
  const reason = stderr?.split('\n')[0] || error?.message || `it ended with ${status}`;
  return unlessUnable(test, status === 0 ? undefined : `an ordinary user cannot do this here: ${reason}`);
}

/** Returns the output of one render. */
function renderedBy(command: readonly string[]): RenderedOnce {
  const { stdout, stderr } = asSomebody(command);
  assert.ok(stdout.startsWith('{'), stderr);
  return JSON.parse(stdout);
}

testsAfter(readsCheckout)('T-11: an ordinary user renders a page, inside the sandbox', () => {
  const said = renderedBy(renderOnce);
  assert.is.not(said.uid, 0);
  assert.is(said.reason, null);
  assert.ok(said.renderers.length > 0);
  for (const { uid, seccomp, pids, command } of said.renderers) {
    assert.equal([...new Set(uid.split('\t'))], [String(said.uid)]);
    assert.is(seccomp, '2', 'system calls are filtered');
    assert.match(pids, /\t/, 'and processes are numbered in a namespace of their own');
    assert.not.match(command, /--no-sandbox/);
  }
});

const forbid = 'echo 0 > /proc/sys/user/max_user_namespaces';
const inside = ['unshare', '--user', '--map-current-user', '--keep-caps', 'sh', '-c'];
const plain = 'setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all';
const seesThatNoneIsAllowed = [...inside, `${forbid} && ! ${plain} unshare --user true && exec "$@"`, 'sh'];

testsAfter([...seesThatNoneIsAllowed, ...readsCheckout])(
  'R-10, R-11: where no user namespace is allowed nothing is rendered, rather than without the sandbox',
  () => {
    const said = renderedBy([...inside, `${forbid}; exec ${plain} "$@"`, 'sh', ...renderOnce]);
    assert.match(said.reason ?? '', /^unsafe-browser: The browser did not start inside its sandbox/);
  },
);

test.run();
