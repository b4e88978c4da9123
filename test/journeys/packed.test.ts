/**
 * The package that `npm pack` makes, outside of any checkout: with the packages it asks for alone, as `npm install -g` lays
 * them out.
 */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildWhenOld } from '../runner/built.ts';
import { longTest } from '../some-times.ts';
import { withFolder } from './world.ts';

const test = suite('package');
const root = join(import.meta.dirname, '../..');

/** Lays the package out below a prefix, with hard links to the packages that the lockfile calls needed at run time. */
function install(prefix: string): string {
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', prefix], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
  const place = join(prefix, 'lib/node_modules/papergate');
  mkdirSync(place, { recursive: true });
  execFileSync('tar', ['-xzf', join(prefix, packed), '-C', place, '--strip-components=1']);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  for (const [path, { dev }] of Object.entries<{ dev?: boolean }>(packages)) {
    // A package inside of another comes with it, and one for another platform is not here.
    if (dev === true || path.lastIndexOf('node_modules/') !== 0 || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(place, path)), { recursive: true });
    cpSync(join(root, path), join(place, path), { recursive: true, force: false });
  }
  mkdirSync(join(prefix, 'bin'));
  symlinkSync('../lib/node_modules/papergate/bin/papergate.mjs', join(prefix, 'bin/papergate'));
  return place;
}

longTest(test)('it holds no source, and its command walks a picture to three frames in an empty folder', () =>
  withFolder(async (folder) => {
    buildWhenOld();
    const [prefix, cwd] = [join(folder, 'prefix'), join(folder, 'empty')];
    for (const made of [prefix, cwd]) mkdirSync(made);
    const place = install(prefix);
    const own = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((path) => !/node_modules/.test(path));
    assert.equal(
      own.filter((path) => /(?<!\.d)\.tsx?$|^(test|api|gateway|cli)\b/.test(path)),
      [],
    );
    for (const path of ['README.md', 'LICENSE', 'docs/getting-started.md']) assert.ok(own.includes(path), path);

    const env = { PATH: `${join(prefix, 'bin')}:${process.env.PATH ?? ''}`, HOME: cwd };
    const run = promisify(execFile);
    const { stdout: version } = await run('papergate', ['--version'], { cwd, env });
    assert.is(version.trim(), JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
    const { stdout: examples } = await run('papergate', ['scenario', '--examples'], { cwd, env });
    assert.match(examples, /^price-change {2,}A shop changes its prices/m);
    const { stdout } = await run('papergate', ['demo'], { cwd, env, maxBuffer: 1 << 24 });
    assert.match(stdout, /Every frame is proven to show the newest message/);
    assert.ok(readdirSync(join(cwd, 'demo')).length > 0);
    await usesLibrary(place, join(folder, 'program'));
  }),
);

/** Programs of somebody else: they compile against the package's types, and run; what they misspell does not compile. */
async function usesLibrary(place: string, folder: string): Promise<void> {
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(place, join(folder, 'node_modules/papergate'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', ...types];
  const run = promisify(execFile);
  /** Returns the compiler's errors about a program. */
  const compile = async (file: string, program: string): Promise<string> => {
    writeFileSync(join(folder, file), program);
    const compiling = run(join(root, 'node_modules/.bin/tsc'), [...options, file], { cwd: folder });
    return (await compiling.catch((error: { stdout: string }) => error)).stdout;
  };
  const frames = `
    import { type FleetFrame, startFleet, systemClock } from 'papergate/simulator';
    const frames: FleetFrame[] = [];
    const beside = { mqttUrl: 'mqtt://127.0.0.1:1', picturePrefix: 'http://127.0.0.1:1', speed: 1, seed: 's' };
    const fleet = await startFleet({ ...beside, frames, trace: () => {}, clock: systemClock });
    await fleet.stop();
    console.log(fleet.frames.size);
  `;
  const offline = `
    import { offline, type OfflineResult, sandboxTime } from 'papergate/simulator';
    const played: OfflineResult = await offline({ seed: '1', runs: 2, frames: 2 });
    console.log(played.verdicts.length, played.broken, played.hash.length);
    await sandboxTime('http://127.0.0.1:1/time').now().catch(({ code }) => console.log(code));
  `;
  const client = `
    import { type AnswerOf, PapergateError, papergate } from 'papergate/client';
    const { call } = papergate({ url: 'http://127.0.0.1:1', apiKey: 'k' });
    const ask = (deviceId: string): Promise<AnswerOf<'GET /devices/{deviceId}'>> =>
      call('GET /devices/{deviceId}', { path: { deviceId } });
    await ask('a').catch((error) => console.log(error instanceof PapergateError && error.code));
  `;
  for (const [name, program, printed] of [
    ['frames', frames, '0\n'],
    ['offline', offline, '2 0 64\nunreachable\n'],
    ['client', client, 'unreachable\n'],
  ] as const) {
    assert.is(await compile(`${name}.ts`, program), '');
    assert.is((await run(process.execPath, [`${name}.js`], { cwd: folder })).stdout, printed);
  }
  // The types are those of the library, and not anything at all.
  for (const [wrong, said] of [
    [`${offline}played.nothing;`, /'nothing' does not exist/],
    [`${frames}fleet.nothing;`, /'nothing' does not exist/],
    [client.replaceAll('GET /devices/{', 'GET /device/{'), /"GET \/device\/\{deviceId\}"/],
    [client.replace('path: { deviceId }', 'path: { device: deviceId }'), /'device' does not exist/],
    [`${client}(await ask('a')).nam;`, /'nam' does not exist/],
  ] as const) {
    assert.match(await compile('wrong.ts', wrong), said);
  }
}

test.run();
