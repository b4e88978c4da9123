/**
 * What npm runs after it installed the package, and `make setup` each time: the database driver opens a database, or is made
 * to. It comes compiled, for any Node with Node-API 10; Node 20 has what the driver needs of that only as an experiment, so
 * there it is compiled (some minutes; python3, make, g++). What was compiled before is asked first. It may be ended at any
 * moment: the next run goes on.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import '../bin/supported-node.mjs';

const nodeApi10 = '-UNAPI_VERSION -DNAPI_EXPERIMENTAL -DNODE_API_EXPERIMENTAL_NOGC_ENV_OPT_OUT';
const stdio = ['ignore', 'ignore', 'inherit'];
const isNodeApi10 = Number(process.versions.napi) >= 10;
const driver = dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'));
const compiled = join(driver, 'build/Release/better_sqlite3.node');
// The driver takes what came compiled before what was compiled here, so on Node 20 that has another name.
const came = join(driver, 'prebuilds');
const aside = join(driver, 'prebuilds-of-newer-node');

if (isNodeApi10 && existsSync(aside)) {
  rmSync(came, { recursive: true, force: true });
  renameSync(aside, came);
}
const wasReady = isNodeApi10 ? opens() : existsSync(compiled) && opens(compiled);
if (!wasReady) compile();
if (!isNodeApi10 && existsSync(came)) {
  rmSync(aside, { recursive: true, force: true });
  renameSync(came, aside);
}
if (!wasReady && !opens())
  fail(`The database driver in ${driver} opens no database. Remove that folder, and install again.`);

/** Whether the driver opens a database, by a file of its code or by the one that it takes itself. A wrong one may crash. */
function opens(file) {
  const ask = 'new (require(process.argv[1]))(":memory:", { nativeBinding: process.argv[2] ?? null }).close()';
  const { status, signal } = spawnSync(process.execPath, ['-e', ask, driver, ...(file === undefined ? [] : [file])]);
  // Somebody's interrupt says nothing of the driver.
  if (['SIGINT', 'SIGTERM', 'SIGHUP'].includes(signal)) process.exit(130);
  return status === 0;
}

function compile() {
  // Only npm knows where its node-gyp is, and says so to the scripts that it runs.
  if (process.env.npm_config_node_gyp === undefined) {
    const { status } = spawnSync('npm', ['run', '--silent', 'install'], {
      cwd: join(import.meta.dirname, '..'),
      stdio: 'inherit',
    });
    process.exit(status ?? 1);
  }
  process.stdout.write(`Compiling the database driver for Node ${process.versions.node}: some minutes …\n`);
  const headers = foundHeaders();
  const env = { ...process.env, CXXFLAGS: isNodeApi10 ? '-w' : `${nodeApi10} -w` };
  if (headers !== undefined) env.npm_config_nodedir = headers;
  const { status } = spawnSync('node-gyp', ['rebuild', '--release', '--force_build=1', '--loglevel=error'], {
    cwd: driver,
    env,
    stdio,
  });
  if (status === 0 && opens(compiled)) return;
  const needed = ['python3', 'make', 'g++', ...(headers === undefined ? ['the headers of this Node'] : [])];
  fail(
    `The database driver could not be compiled for Node ${process.versions.node}. It takes ${needed.join(', ')}; ` +
      'Node 22 and newer compile nothing.',
  );
}

/** Where the headers of this very Node are on the machine: beside it, or where Debian's packages put them. */
function foundHeaders() {
  const named = process.env.npm_config_nodedir;
  if (named) return named;
  return [resolve(process.execPath, '../..'), '/usr', '/usr/local'].find((prefix) => {
    const file = join(prefix, 'include/node/node_version.h');
    if (!existsSync(file)) return false;
    const text = readFileSync(file, 'utf8');
    const version = ['MAJOR', 'MINOR', 'PATCH'].map(
      (part) => new RegExp(`#define NODE_${part}_VERSION (\\d+)`).exec(text)?.[1],
    );
    return version.join('.') === process.versions.node;
  });
}

function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}
