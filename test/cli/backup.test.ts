import {
  appendFileSync,
  chmodSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { extract, pack } from 'tar-stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { openContext, openFiles } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import type { BackupManifest } from '../../cli/backup/manifest.ts';
import { digestLine } from '../../cli/backup/read-backup.ts';
import { type RestoreSource, restoreFrom } from '../../cli/backup/restore-backup.ts';
import { holdFolder } from '../../cli/ground/hold-folder.ts';
import { authorityOfFrames } from '../../gateway/identity/authority-of-frames.ts';
import { mountDisk, unmountDisk } from '../small-disk.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { foundService, papergate, withScratchFolder } from './papergate.ts';

const test = suite('papergate backup');
const key = 'a key that nobody guesses, in 43 characters';

interface Backups {
  readonly scratch: string;
  readonly data: string;
  /** Runs `papergate backup` with the data folder and what else the environment has. */
  run(
    args: readonly string[],
    env?: Record<string, string>,
  ): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** The same with `--json`; what it printed. */
  json(args: readonly string[], env?: Record<string, string>): Promise<Record<string, unknown>>;
  /** Runs one that is refused, and returns its output. */
  refused(args: readonly string[], env?: Record<string, string>): Promise<string>;
}

/** A service with rows, files and an authority, held as a running one holds it. */
function withBackups(run: (backups: Backups) => Promise<void>): Promise<void> {
  return withScratchFolder(async (scratch) => {
    const data = join(scratch, 'data');
    const context = await openContext(readSettings({ PAPERGATE_DATA: data, PAPERGATE_LOG_LEVEL: 'silent' }));
    const release = await holdFolder(data);
    const typed = (args: readonly string[], env = {}) => papergate({ PAPERGATE_DATA: data, ...env }, 'backup', ...args);
    try {
      const admin = { name: 'Ada', email: 'ada@example.org' };
      await createOrganization(context.db, context, { name: 'Home', email: admin.email, kind: null, admin });
      await authorityOfFrames(context, context.clock.now());
      for (const area of ['files', 'pictures', 'firmware'] as const) {
        const files = await openFiles(context, area, () => {});
        for (let at = 0; at < 3; at++) await files.put(Buffer.alloc(100_000 * at, `${area} ${at}`));
      }
      await run({
        scratch,
        data,
        run: typed,
        async json(args, env) {
          const { code, stdout, stderr } = await typed([...args, '--json'], env);
          assert.is(code, 0, stderr);
          return JSON.parse(stdout);
        },
        async refused(args, env) {
          const { code, stdout, stderr } = await typed(args, env);
          assert.equal([code, stdout], [1, ''], stderr);
          return stderr;
        },
      });
    } finally {
      await context.close();
      release();
    }
  });
}

/** Every file below a folder but SQLite's and the running process's, with its content as hex. */
function filesBelow(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names
      .filter(
        (name) => statSync(join(folder, name)).isFile() && !/^(papergate\.sqlite|serve\.lock|endpoints)/.test(name),
      )
      .map((name) => [name, readFileSync(join(folder, name)).toString('hex')]),
  );
}

for (const [how, env, end] of [
  ['plain', {}, '.tar'],
  ['encrypted', { PAPERGATE_BACKUP_KEY: key }, '.tar.age'],
] as const) {
  test(`a backup that is ${how} is checked, restored, and holds the same rows, keys and files`, () =>
    withBackups(async ({ scratch, data, json }) => {
      const to = join(scratch, 'kept');
      mkdirSync(to);
      const { file, files } = await json(['create', '--out', to], env);
      assert.ok(String(file).startsWith(join(to, 'papergate-2')) && String(file).endsWith(`Z${end}`), String(file));
      assert.equal(readdirSync(to).length, 1);
      assert.is(statSync(String(file)).mode & 0o777, 0o600);
      assert.not.match(
        readFileSync(String(file), 'latin1').includes('ada@example.org') ? 'readable' : '',
        how === 'plain' ? /^$/ : /./,
      );
      const checked = await json(['check', String(file)], env);
      assert.equal([checked.organizations, checked.files, checked.damaged], [1, files, 0]);

      const into = join(scratch, 'new', 'data');
      const restored = await json(['restore', String(file), '--into', into], env);
      assert.is(restored.organizations, 1);
      assert.equal(filesBelow(into), filesBelow(data));
      assert.equal(readdirSync(join(scratch, 'new')), ['data']);
      const context = await openContext(readSettings({ PAPERGATE_DATA: into }));
      try {
        assert.equal(await context.db('organizations').pluck('name'), ['Home']);
      } finally {
        await context.close();
      }
      assert.equal(
        readdirSync(data).filter((name) => name.includes('copy')),
        [],
        'no copy of the database stays',
      );
    }));
}

longTest(test)('a wrong key, a missing one and one that could be guessed are refused before anything is written', () =>
  withBackups(async ({ scratch, json, refused, run }) => {
    const file = join(scratch, 'b.tar.age');
    const keyFile = join(scratch, 'key');
    writeFileSync(keyFile, `${key}\n`);
    await json(['create', '--out', file, '--key-file', keyFile]);
    const before = readdirSync(scratch).sort();
    const restore = ['restore', file, '--into', join(scratch, 'x')];
    for (const args of [restore, ['check', file]]) {
      assert.match(await refused(args), /is encrypted\n {2}give its key: PAPERGATE_BACKUP_KEY, or --key-file/);
      assert.match(
        await refused(args, { PAPERGATE_BACKUP_KEY: `${key}!` }),
        /was encrypted with another key\n {2}give the key it was made with/,
      );
    }
    const named = join(scratch, 'c.tar');
    assert.match(await refused(['create', '--out', `${named}.age`]), /would not be encrypted: there is no key/);
    assert.match(
      await refused(['create', '--out', named, '--key-file', keyFile]),
      /would be encrypted: there is a key/,
    );
    assert.equal(readdirSync(scratch).sort(), before);
    writeFileSync(keyFile, 'short');
    assert.match(await refused([...restore, '--key-file', keyFile]), /fewer than 32 characters\n {2}make a key/);
    const guessed = await run(['create'], { PAPERGATE_BACKUP_KEY: 'short' });
    assert.equal([guessed.code, /PAPERGATE_BACKUP_KEY: /.test(guessed.stderr)], [1, true], guessed.stderr);
  }),
);

longTest(test)('a backup that is cut anywhere, or changed in a byte, is refused, and no folder is there', () =>
  withBackups(async ({ scratch, json, refused }) => {
    for (const [name, env] of [
      ['b.tar', {}],
      ['b.tar.age', { PAPERGATE_BACKUP_KEY: key }],
    ] as const) {
      const file = join(scratch, name);
      await json(['create', '--out', file], env);
      const whole = readFileSync(file);
      const into = join(scratch, 'restored');
      const refuse = async (bytes: Uint8Array, what: string): Promise<void> => {
        writeFileSync(file, bytes);
        for (const args of [
          ['check', file],
          ['restore', file, '--into', into],
        ]) {
          assert.match(await refused(args, env), /is cut short or damaged: .*\n {2}take another backup/, what);
        }
        assert.not(existsSync(into), what);
        assert.equal(
          readdirSync(scratch).filter((left) => left.includes('restoring')),
          [],
          what,
        );
      };
      const cuts =
        name === 'b.tar' ? [0, 10, 300, 512, 2_000, 100_000, whole.length - 2_000] : [100, 300, whole.length - 1];
      for (const length of cuts) {
        await refuse(whole.subarray(0, length), `${name} of ${length} bytes`);
      }
      const changes = name === 'b.tar' ? [600, 1_000, 50_000, whole.length - 150_000] : [50_000];
      for (const at of changes) {
        const changed = Buffer.from(whole);
        changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
        await refuse(changed, `${name} changed at ${at}`);
      }
    }
  }),
);

test('a backup whose database cannot be marked as restored is refused as damaged, and leaves nothing', () =>
  withScratchFolder(async (scratch) => {
    const data = join(scratch, 'data');
    await foundService(data);
    const file = join(data, 'papergate.sqlite');
    const db = new Sqlite(file);
    db.exec('alter table service_facts rename column value to worth');
    db.pragma('journal_mode = delete');
    db.close();
    const about = { name: 'papergate.sqlite', size: statSync(file).size, sha256: '' };
    const source: RestoreSource = {
      name: 'strange.tar',
      async read(take) {
        await take?.(about, createReadStream(file));
        return { files: [about] } as unknown as BackupManifest;
      },
    };
    const said = await restoreFrom(source, join(scratch, 'restored')).then(
      () => 'restored',
      (error: Error) => error.message,
    );
    assert.match(said, /^strange\.tar is cut short or damaged: SQLite says: .*no column named value/);
    assert.equal(readdirSync(scratch), ['data']);
  }));

/** Writes a backup again with another manifest. */
async function withManifest(file: string, change: (manifest: Record<string, unknown>) => object): Promise<Buffer> {
  const entries = extract();
  entries.end(readFileSync(file));
  const written = pack();
  let text = '';
  for await (const entry of entries) {
    const parts: Buffer[] = [];
    for await (const part of entry) parts.push(part as Buffer);
    let content = Buffer.concat(parts);
    if (entry.header.name === 'manifest.json') {
      text = JSON.stringify(change(JSON.parse(content.toString())));
      content = Buffer.from(text);
    }
    if (entry.header.name === 'manifest.sha256') content = Buffer.from(digestLine(text));
    written.entry({ name: entry.header.name, size: content.length }, content);
  }
  written.finalize();
  const parts: Buffer[] = [];
  for await (const part of written) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

longTest(test)(
  'a backup of a newer version is refused by its format, its schema and its migrations, and one that leads elsewhere too',
  () =>
    withBackups(async ({ scratch, json, refused }) => {
      const file = join(scratch, 'b.tar');
      await json(['create', '--out', file]);
      const changed = join(scratch, 'c.tar');
      const said = async (change: (manifest: Record<string, unknown>) => object): Promise<string> => {
        writeFileSync(changed, await withManifest(file, change));
        return refused(['restore', changed, '--into', join(scratch, 'x')]);
      };
      const newer = /was made by a newer version of papergate \(9\.9\.9\)\n {2}install that version/;
      assert.match(await said(() => ({ format: 2, version: '9.9.9' })), newer);
      assert.match(await said((made) => ({ ...made, version: '9.9.9', schema: 99 })), newer);
      assert.match(await said((made) => ({ ...made, version: '9.9.9', migrations: ['api-999-later'] })), newer);
      const leads = (made: Record<string, unknown>) => ({
        ...made,
        files: [...(made.files as object[]), { name: 'authority/../../x', size: 0, sha256: '0'.repeat(64) }],
      });
      assert.match(await said(leads), /its manifest\.json cannot be read/);
      assert.not(existsSync(join(scratch, 'x')));
      writeFileSync(changed, await withManifest(file, (made) => made));
      await json(['check', changed]);
    }),
);

longTest(test)('a used folder, a taken name and a missing file are refused with what to do', () =>
  withBackups(async ({ scratch, data, json, refused }) => {
    const file = join(scratch, 'b.tar');
    await json(['create', '--out', file]);
    const before = filesBelow(data);
    assert.match(await refused(['restore', file]), /data is not empty/);
    assert.match(
      await refused(['restore', file, '--into', data]),
      /data is not empty\n {2}name a folder that is not there/,
    );
    assert.equal(filesBelow(data), before);
    assert.match(await refused(['restore', file, '--into', file]), /b\.tar is not a folder/);
    assert.match(await refused(['create', '--out', file]), /b\.tar is there already\n/);
    assert.match(
      await refused(['check', join(scratch, 'none.tar')]),
      /^there is no file \S+none\.tar\n {2}give the path of a backup, as .\/papergate backup create printed it/,
    );
    assert.match(
      await refused(['create'], { PAPERGATE_DATA: join(scratch, 'no') }),
      /is not a data folder of a service/,
    );
    const empty = join(scratch, 'empty');
    mkdirSync(empty);
    await json(['restore', file], { PAPERGATE_DATA: empty });
    assert.ok(existsSync(join(empty, 'papergate.sqlite')));
  }),
);

test('a missing backup or key is called so by every command that reads one', () =>
  withBackups(async ({ scratch, json, refused }) => {
    const none = join(scratch, 'none.tar');
    for (const path of [none, join(scratch, 'nowhere', 'none.tar')]) {
      for (const args of [
        ['check', path],
        ['restore', path, '--into', join(scratch, 'x')],
      ]) {
        assert.is(
          await refused(args),
          `there is no file ${path}\n  give the path of a backup, as ./papergate backup create printed it\n`,
        );
      }
    }
    const file = join(scratch, 'b.tar');
    await json(['create', '--out', file]);
    for (const args of [
      ['create', '--out', `${file}.age`],
      ['check', file],
      ['restore', file, '--into', join(scratch, 'x')],
    ]) {
      const said = await refused([...args, '--key-file', none]);
      assert.match(said, /^--key-file: there is no file \S+none\.tar\n {2}name the file in which the key/);
    }
    assert.equal(readdirSync(scratch).sort(), ['b.tar', 'data']);
  }));

test('a file name that does not belong to a backup is refused; a folder may have any name', () =>
  withBackups(async ({ scratch, json, refused }) => {
    for (const name of ['x.zip', 'x.tgz', 'x.tar.gz', 'x.age', 'new.d']) {
      const said = await refused(['create', '--out', join(scratch, name)]);
      assert.match(
        said,
        /^--out: \S+ looks like a file, and no backup has such a name\n {2}let the name end in \.tar, or/,
      );
    }
    const encrypted = await refused(['create', '--out', join(scratch, 'x.zip')], { PAPERGATE_BACKUP_KEY: key });
    assert.match(encrypted, /let the name end in \.tar\.age, or in a slash where a folder is meant/);
    assert.equal(readdirSync(scratch), ['data']);
    const there = join(scratch, 'there.d');
    mkdirSync(there);
    for (const [out, folder] of [
      [there, there],
      [join(scratch, 'plain'), join(scratch, 'plain')],
      [`${join(scratch, 'slash.d')}/`, join(scratch, 'slash.d')],
    ] as const) {
      const { file } = await json(['create', '--out', out]);
      assert.equal(readdirSync(folder), [basename(String(file))]);
    }
    const { file } = await json(['create'], { PAPERGATE_BACKUPS: join(scratch, 'of.tar') });
    assert.equal(readdirSync(join(scratch, 'of.tar')), [basename(String(file))], 'a setting always names a folder');
  }));

longTest(test)('create and check say the same of a backup, and bytes are those of its file', () =>
  withBackups(async ({ scratch, json }) => {
    for (const [name, env] of [
      ['b.tar', {}],
      ['b.tar.age', { PAPERGATE_BACKUP_KEY: key }],
    ] as const) {
      const file = join(scratch, name);
      const { encrypted, ...made } = await json(['create', '--out', file], env);
      const checked = await json(['check', file], env);
      assert.equal({ ...checked, ...made }, checked);
      assert.is(made.bytes, statSync(file).size);
      const restored = await json(['restore', file, '--into', join(scratch, `of-${name}`)], env);
      assert.equal([restored.contentBytes, 'bytes' in restored], [made.contentBytes, false]);
    }
  }),
);

test('a restored folder and all in it are for their owner alone, also where the folder was open to others', () =>
  withBackups(async ({ scratch, json }) => {
    const file = join(scratch, 'b.tar');
    await json(['create', '--out', file]);
    const open = join(scratch, 'open');
    mkdirSync(open);
    chmodSync(open, 0o755);
    for (const into of [open, join(scratch, 'new')]) {
      await json(['restore', file, '--into', into]);
      const names = ['.', ...readdirSync(into, { recursive: true, encoding: 'utf8' })];
      const others = names.filter((name) => (statSync(join(into, name)).mode & 0o077) !== 0);
      assert.equal(others, [], into);
    }
  }));

test('a stored file that was damaged before does not keep a backup from being made, and is reported', () =>
  withBackups(async ({ scratch, data, json, run }) => {
    const [name = ''] = readdirSync(join(data, 'pictures'));
    appendFileSync(join(data, 'pictures', name), 'more');
    const file = join(scratch, 'b.tar');
    const made = await run(['create', '--out', file]);
    assert.equal([made.code, made.stderr.includes('1 stored files were damaged before')], [0, true], made.stderr);
    assert.is((await json(['check', file])).damaged, 1);
    truncateSync(file, 0);
  }));

const tried = mountDisk(1);
if (tried !== undefined) unmountDisk(tried);

const onSmallDisk = unlessUnable(test, tried === undefined ? 'a small disk cannot be mounted here' : undefined);

async function withDisk(megabytes: number, run: (disk: string) => Promise<void>): Promise<void> {
  const disk = mountDisk(megabytes);
  assert.ok(disk !== undefined);
  try {
    await run(disk);
  } finally {
    unmountDisk(disk);
  }
}

onSmallDisk('a full disk leaves no backup and no folder, and is told', () =>
  withBackups(({ scratch, json, refused }) =>
    withDisk(1, async (disk) => {
      const file = join(scratch, 'b.tar');
      await json(['create', '--out', file]);
      assert.match(await refused(['restore', file, '--into', disk]), /the disk is full: the backup needs \d MiB/);
      assert.equal(readdirSync(disk), []);
      appendFileSync(join(disk, 'filler'), Buffer.alloc(500_000));
      for (const env of [{}, { PAPERGATE_BACKUP_KEY: key }]) {
        assert.match(
          await refused(['create', '--out', disk], env),
          /the disk is full: the backup needs \d MiB, and \d MiB are free\n {2}make room on it/,
        );
      }
      assert.match(
        await refused(['restore', file, '--into', join(disk, 'x')]),
        /the disk is full: the backup needs \d MiB/,
      );
      assert.equal(readdirSync(disk), ['filler']);
      assert.ok(statfsSync(disk).bavail > 0);
    }),
  ),
);

onSmallDisk('the root of a volume is filled where it is; where the disk is full in the middle nothing stays', () =>
  withBackups(({ scratch, data, json, refused }) =>
    withDisk(16, async (disk) => {
      const file = join(scratch, 'b.tar');
      await json(['create', '--out', file]);
      mkdirSync(join(disk, 'lost+found'));
      // The directory entry of a file takes room that no manifest states.
      const free = statfsSync(disk);
      const needed = Number((await json(['check', file])).contentBytes);
      writeFileSync(join(disk, 'lost+found', 'filler'), Buffer.alloc(free.bavail * free.bsize - needed - 8192));
      assert.match(await refused(['restore', file, '--into', disk]), /the disk is full/);
      assert.equal(readdirSync(disk), ['lost+found']);
      writeFileSync(join(disk, 'lost+found', 'filler'), '');
      await json(['restore', file, '--into', disk]);
      assert.equal(
        Object.fromEntries(Object.entries(filesBelow(disk)).filter(([name]) => !name.startsWith('lost+found'))),
        filesBelow(data),
      );
    }),
  ),
);

test('a restore that was killed leaves a folder that nobody serves from, and is done again', () =>
  withBackups(async ({ scratch, data, json, refused }) => {
    const file = join(scratch, 'b.tar');
    await json(['create', '--out', file]);
    const into = join(scratch, 'volume');
    mkdirSync(join(into, 'files'), { recursive: true });
    writeFileSync(join(into, 'papergate.restoring'), '');
    writeFileSync(join(into, 'papergate.sqlite'), 'a part of it');
    writeFileSync(join(into, 'files', 'half'), 'a half');
    for (const args of [['create'], ['create', '--out', join(scratch, 'c.tar')]]) {
      const said = await refused(args, { PAPERGATE_DATA: into });
      assert.match(
        said,
        /a restore into \S+ has not come to its end\n {2}let it end, or run .\/papergate backup restore/,
      );
    }
    const served = await papergate({ PAPERGATE_DATA: into, PAPERGATE_LOG_LEVEL: 'silent' }, 'serve');
    assert.equal([served.code, served.stdout], [1, '']);
    assert.match(served.stderr, /has not come to its end/);
    await json(['restore', file, '--into', into]);
    assert.equal(filesBelow(into), filesBelow(data));
    assert.match(await refused(['restore', file, '--into', into]), /volume is not empty/);
  }));

test('T-118: secrets that an earlier version stored as they were typed are in no byte of the database and of its backups', () =>
  withBackups(async ({ data, scratch, json }) => {
    const settings = readSettings({ PAPERGATE_DATA: data, PAPERGATE_LOG_LEVEL: 'silent' });
    const before = await openContext(settings);
    const { id: organization_id } = await before.db('organizations').first('id');
    // As long as a meta with a manifest, so that it lies in pages of its own, and written twice.
    for (const secret of ['sesame-of-old', 'sesame-of-today']) {
      const meta = JSON.stringify({ pluginSettings: { password: secret, text: 'x'.repeat(20_000) } });
      const row = { id: 'a'.repeat(24), organization_id, device_id: '', kind: 'plugin', meta, author: '', sequence: 0 };
      await before
        .db('papers')
        .insert({ ...row, created_at: 0, updated_at: 0, draft: 0 })
        .onConflict('id')
        .merge();
    }
    await before.db('service_facts').where({ name: 'traces swept' }).delete();
    await before.close();
    const file = join(data, 'papergate.sqlite');
    const holdsSesame = (path: string) => existsSync(path) && readFileSync(path).includes('sesame');
    assert.ok([file, `${file}-wal`].some(holdsSesame), 'it was there');
    await (await openContext(settings)).close();
    const to = join(scratch, 'backup.tar');
    await json(['create', '--out', to]);
    assert.equal([file, `${file}-wal`, to].filter(holdsSesame), []);
  }));

test.run();
