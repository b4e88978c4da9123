/** `papergate drill`: a backup is restored next to the service and compared, a page is written, and nothing stays. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { openContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { drillPage } from '../../cli/drill/drill-page.ts';
import { eventually } from '../journeys/world.ts';
import { papergateCommand } from '../runner/built.ts';
import { papergate, withScratchFolder } from './papergate.ts';

const test = suite('papergate drill');

interface DrillWorld {
  readonly data: string;
  readonly scratch: string;
  readonly env: Record<string, string>;
  /** Makes a backup, and returns its path. */
  backUp(env?: Record<string, string>): Promise<string>;
  drill(...args: string[]): ReturnType<typeof papergate>;
}

/** A used data folder, and something at its address that says it lives. */
async function withDrill(run: (world: DrillWorld) => Promise<void>): Promise<void> {
  const server = createServer((_, response) => void response.end('{}')).listen(0, '127.0.0.1');
  try {
    await withScratchFolder(async (folder) => {
      await new Promise((resolve) => setImmediate(resolve));
      const [data, scratch] = [join(folder, 'data'), join(folder, 'scratch')];
      mkdirSync(scratch);
      const context = await openContext(readSettings({ PAPERGATE_DATA: data }));
      const admin = { name: 'Anna', email: 'anna@example.org' };
      await createOrganization(context.db, context, { name: 'Home', email: admin.email, kind: null, admin });
      await context.close();
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const env = { PAPERGATE_DATA: data, PAPERGATE_URL: url };
      await run({
        data,
        scratch,
        env,
        async backUp(more = {}) {
          const { code, stdout, stderr } = await papergate({ ...env, ...more }, 'backup', 'create', '--json');
          assert.is(code, 0, stderr);
          return JSON.parse(stdout).file;
        },
        drill: (...args) => papergate(env, 'drill', '--scratch', scratch, ...args),
      });
    });
  } finally {
    server.close();
  }
}

test('a sound backup passes, its page says what was done and has room for a signature, and nothing stays', () =>
  withDrill(async ({ data, scratch, backUp, drill }) => {
    const file = await backUp();
    const before = readFileSync(join(data, 'papergate.sqlite'));
    const page = join(scratch, 'page.html');
    const { code, stdout, stderr } = await drill('--out', page, '--json');
    assert.is(code, 0, stderr + stdout);
    const report = JSON.parse(stdout);
    assert.equal([report.passed, report.backup, report.page], [true, file, page]);
    assert.equal(
      report.steps.map(({ result }: { result: string }) => result),
      Array.from({ length: report.steps.length }, () => 'ok'),
    );
    const html = readFileSync(page, 'utf8');
    for (const words of ['Passed: the backup can be restored.', '<div>Signature</div>', 'Open the copy as a start']) {
      assert.ok(html.includes(words), words);
    }
    assert.not.match(html, /(?:src|href)=/);
    assert.equal(readdirSync(scratch), ['page.html'], 'the copy is gone');
    assert.equal(readFileSync(join(data, 'papergate.sqlite')), before);
    assert.match((await drill('--out', page)).stderr, /page\.html is there already/);
  }));

/** Adds an organization to the rows of the service. */
function addOrganization(data: string, id: string, createdAt: number): void {
  const db = new Sqlite(join(data, 'papergate.sqlite'));
  db.prepare(
    `insert into organizations (id, name, email, meta, created_at, updated_at)
      select ?, name, email, meta, ?, ? from organizations limit 1`,
  ).run(id, createdAt, createdAt);
  db.close();
}

test('rows that came later are listed as lost, and a backup that lacks what was there does not pass', () =>
  withDrill(async ({ data, scratch, backUp, drill }) => {
    await backUp();
    addOrganization(data, 'later', Date.now() + 1_000);
    const page = join(scratch, 'later.html');
    const { lost, passed } = JSON.parse((await drill('--out', page, '--json')).stdout);
    assert.equal([passed, lost], [true, [{ table: 'organizations', rows: 1 }]]);
    assert.match(readFileSync(page, 'utf8'), /<td>organizations<\/td><td class="number">1<\/td>/);
    addOrganization(data, 'forgotten', 1);
    const ended = await drill();
    assert.is(ended.code, 1);
    assert.match(ended.stdout, /FAIL {2}Look for what was there[^\n]*\n\s+1 of 2 organizations that are older/);
    assert.match(ended.stderr, /^1 of 6 steps failed\n {2}the page says which: /);
  }));

test('what cannot be tried is refused with what to do, before anything is written', () =>
  withDrill(async ({ data, scratch, env, backUp, drill }) => {
    const refused = async (...args: string[]) => {
      const { code, stdout, stderr } = await drill(...args);
      return `${code} ${stdout}${stderr}`;
    };
    assert.match(await refused(), /^1 no backup is in .*\n {2}\S*papergate backup create makes one/);
    const file = await backUp();
    const inside = join(data, 'files');
    mkdirSync(inside, { recursive: true });
    assert.match(await refused('--scratch', inside), /^1 --scratch: .* lies in the data folder of the service\n/);
    assert.match(await refused('--scratch', join(scratch, 'away')), /^1 --scratch: .*away/);
    assert.match(await refused('--backup', join(scratch, 'none.tar')), /^1 .*none\.tar/);
    assert.match(await refused('--out', join(scratch, 'page.txt')), /^2 --out: page\.txt does not end in \.html/);
    assert.match(await refused('--kill-with', 'true'), /^2 --kill-with goes with --kill-node/);
    assert.match(await refused('--kill-node', 'a'), /^1 --kill-node: no living node is named a\n/);
    const away = await papergate({ ...env, PAPERGATE_URL: 'http://127.0.0.1:9' }, 'drill', '--scratch', scratch);
    assert.match(`${away.code} ${away.stderr}`, /^3 http:\/\/127\.0\.0\.1:9 does not answer as a Papergate service/);
    const key = 'k'.repeat(40);
    const secret = await backUp({ PAPERGATE_BACKUP_KEY: key });
    assert.match(await refused('--backup', secret), /^1 .*\.tar\.age is encrypted\n {2}give its key/);
    assert.equal(readdirSync(scratch), []);
    assert.ok(file.endsWith('.tar'));
  }));

test('a damaged backup does not pass, and its page says why', () =>
  withDrill(async ({ scratch, backUp, drill }) => {
    const file = await backUp();
    const bytes = readFileSync(file);
    const at = Math.floor(bytes.length / 2);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const page = join(scratch, 'page.html');
    const { code, stdout } = await drill('--out', page);
    assert.is(code, 1);
    assert.match(stdout, /FAIL {2}Restore the backup into an empty place/);
    assert.match(readFileSync(page, 'utf8'), /Not passed.*FAILED.*is cut short or damaged/s);
    assert.equal(readdirSync(scratch), ['page.html']);
  }));

test('Ctrl-C removes the copy, and the next drill that of a killed one', () =>
  withDrill(async ({ scratch, env, backUp, drill }) => {
    await backUp();
    const child = spawn(process.execPath, [papergateCommand, 'drill', '--scratch', scratch], {
      env: { PATH: process.env.PATH, ...env },
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await eventually('it has begun', async () => readdirSync(scratch).length > 0);
    child.kill('SIGINT');
    assert.is(await ended, 130);
    assert.equal(readdirSync(scratch), []);
    mkdirSync(join(scratch, `papergate-drill-${child.pid}-killed`));
    assert.is((await drill()).code, 0);
    assert.equal(readdirSync(scratch), []);
  }));

test('the page shows names as they are, and never as markup', () => {
  const page = drillPage({
    passed: false,
    service: '<b>',
    url: 'http://127.0.0.1',
    version: '1',
    beganAt: '2026-11-26T02:37:00.000Z',
    tookMs: 61_000,
    backup: '/a&b.tar',
    backupBytes: 1_048_576,
    backupMadeAt: '2026-11-25T02:37:00.000Z',
    backupAgeMs: 86_400_000,
    steps: [{ title: 'Restore', result: 'fail', findings: ['<script>'], tookMs: 5 }],
    lost: [],
    hasArchive: true,
  });
  assert.match(page, /&lt;b&gt;/);
  assert.match(page, /\/a&amp;b\.tar, 1\.0 MiB/);
  assert.match(page, /24 h before/);
  assert.not.match(page, /<script>/);
});

test.run();
