/**
 * What npm runs after it installed the package. The database driver comes compiled, for any Node with Node-API 10; Node 20
 * has what the driver needs of that only as an experiment, so there it is compiled (a minute; python3, make, g++).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const nodeApi10 = '-UNAPI_VERSION -DNAPI_EXPERIMENTAL -DNODE_API_EXPERIMENTAL_NOGC_ENV_OPT_OUT';
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19))
  fail(`Papergate runs on Node 20.19, 22 and newer, and this is Node ${process.versions.node}.`);
if (Number(process.versions.napi) < 10) {
  const driver = dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'));
  process.stdout.write('Node 20 needs the database driver compiled, which takes a minute.\n');
  const { status } = spawnSync('node-gyp', ['rebuild', '--release', '--force_build=1', '--loglevel=error'], {
    cwd: driver,
    env: { ...process.env, CXXFLAGS: `${nodeApi10} -w` },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0)
    fail(
      'The database driver could not be compiled, which Node 20 needs. Install python3, make and g++, or take a newer Node.',
    );
  // The driver takes what came compiled before what was compiled here.
  const came = join(driver, 'prebuilds');
  if (existsSync(came)) renameSync(came, join(driver, 'prebuilds-of-newer-node'));
}

function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}
