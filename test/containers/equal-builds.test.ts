/** Two builds of one commit give the same bytes: the package, and what the image's own steps lay out. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withFolder } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';

const test = suite('equal builds');
const root = join(import.meta.dirname, '../..');
const epoch = 1_700_000_000;

/** How somebody builds. */
interface Builder {
  readonly folder: string;
  readonly umask: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Copies what git has, with changes that are not committed yet. */
function checkout({ folder, umask }: Builder): void {
  mkdirSync(folder, { recursive: true });
  const files = 'git ls-files -z --cached --others --exclude-standard';
  const copy = `${files} | xargs -0 sh -c 'for f; do if [ -e "$f" ]; then printf "%s\\\\0" "$f"; fi; done' sh | tar -c --null -T - | tar -x --no-same-permissions -C '${folder}'`;
  execFileSync('bash', ['-c', `umask ${umask}; set -eo pipefail; ${copy}`], { cwd: root });
}

/** Runs a command as this builder does. */
function run({ folder, umask, env }: Builder, command: string): string {
  const given = { PATH: process.env.PATH ?? '', HOME: folder, ...env };
  const ended = spawnSync('bash', ['-c', `umask ${umask}; set -e; ${command}`], {
    cwd: folder,
    env: given,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (ended.status !== 0) throw new Error(`${command}: ${ended.stdout}${ended.stderr}`);
  return ended.stdout.trim();
}

/** The SHA-256 of a file. */
const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Every file below a folder: its mode, time and digest. */
function described(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(folder.length + 1);
      if (entry.isSymbolicLink()) return `${name} -> ${readlinkSync(path)}`;
      const { mode, mtimeMs } = statSync(path);
      return `${name} ${mode.toString(8)} ${mtimeMs} ${entry.isFile() ? digest(path) : ''}`;
    })
    .sort();
}

longTest(test)('two checkouts in other folders, at other times, by people with another umask, zone and language', () =>
  withFolder(async (temporary) => {
    const builders: readonly Builder[] = [
      { folder: join(temporary, 'one'), umask: '022', env: { TZ: 'UTC', LANG: 'C', SOURCE_DATE_EPOCH: `${epoch}` } },
      {
        folder: join(temporary, 'another/and longer'),
        umask: '077',
        env: { TZ: 'Pacific/Auckland', LANG: 'tr_TR.UTF-8', SOURCE_DATE_EPOCH: `${epoch}` },
      },
    ];
    const archives = builders.map((builder) => {
      checkout(builder);
      // The steps of an image move the packages, and remove some of them.
      cpSync(join(root, 'node_modules'), join(builder.folder, 'node_modules'), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => !path.includes('node_modules/.cache'),
      });
      run(builder, 'npm pack --silent');
      const [archive = ''] = readdirSync(builder.folder).filter((name) => name.endsWith('.tgz'));
      return join(builder.folder, archive);
    });
    assert.is(digest(archives[0] ?? ''), digest(archives[1] ?? ''), 'the package');
    const names = run(builders[0] as Builder, `tar -tzf ${archives[0]}`).split('\n');
    for (const name of ['dist/papergate.cdx.json', 'dist/THIRD-PARTY-NOTICES.txt', 'CHANGELOG.md'])
      assert.ok(names.includes(`package/${name}`), name);

    const images = builders.map((builder, at) => {
      const place = join(temporary, `image-${at}`);
      run(builder, `sh deploy/container/lay-out.sh '${archives[at]}' '${place}'`);
      const laid = described(place);
      run(builder, `node '${place}/bin/papergate.mjs' --version`);
      return laid;
    });
    const [one = [], other = []] = images;
    assert.ok(one.length > 5_000, `${one.length} files`);
    const same = new Set(one);
    assert.equal(
      other.filter((line) => !same.has(line)),
      [],
    );
    assert.is(one.length, other.length);
    assert.equal(
      one.filter((line) => !/ -> /.test(line) && !line.includes(` ${epoch}000 `)),
      [],
      'files of another time',
    );
  }),
);

test.run();
