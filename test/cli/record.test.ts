/** `papergate record`: its file, its refusals, and nothing that names anybody. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adoptFrame } from '../../api/devices/adopt-frame.ts';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { openContext, type ServiceContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { recordFrameEvent } from '../../gateway/frames/event-log.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { readScenario } from '../../testbed/scenario/read-scenario.ts';
import { everythingStored } from '../database.ts';
import { withFolder } from '../journeys/world.ts';
import { foundService, papergate, withScratchFolder } from './papergate.ts';

const test = suite('the record command');

/** Stands in every name, text, digest and serial that the filled service keeps. */
const secret = 'zebra';
const serials = ['epd7-zebra0000001', 'epd7-zebra0000002', 'epd13-zebra000003', 'epd7-zebra0000004'] as const;
const hourMs = 3_600_000;

/** Each picture but the last is shown after the next one was offered. */
const shownAfterMs = hourMs + 60_000;

/** Fills a service: two frames that woke and were sent things, one of a dialect that is not played, one that was silent. */
async function fill(folder: string, env: Readonly<Record<string, string>> = { PAPERGATE_DATA: folder }): Promise<void> {
  const context = await openContext(readSettings(env));
  const { db, clock, random } = context;
  const admin = { name: 'Zebra Person', email: 'zebra@example.org' };
  const { organizationId } = await createOrganization(db, context, {
    name: 'Zebra House',
    email: admin.email,
    kind: null,
    admin,
  });
  for (const serial of serials) {
    await provisionFrame({ ...context, dataFolder: folder }, { serial, withPassword: true });
    const { id } = await adoptFrame(context, serial, organizationId);
    await db('devices').where({ id }).update({ name: 'Zebra room' });
  }
  const [first, second, plain] = serials;
  await frameRegistry(db).change(first, { dialect: 'native', sleep_seconds: 1800, firmware: secret }, clock.now());
  await frameRegistry(db).change(second, { dialect: 'classic', panel: secret }, clock.now());
  await frameRegistry(db).change(plain, { dialect: 'plain' }, clock.now());
  for (const hoursAgo of [5, 4, 3, 2]) {
    const at = clock.now() - hoursAgo * hourMs;
    for (const serial of [first, second, plain]) await wake(context, serial, at);
    await offer(context, first, at + 60_000, hoursAgo < 4 ? 'page:zebra-page' : `picture:zebra-${hoursAgo}`);
  }
  await recordFrameEvent(db, random, { serial: first, type: 'log', at: clock.now(), payload: { message: secret } });
  await context.close();
}

/** Everything that a frame may report of itself, and what the service records alongside. */
async function wake({ db, random }: ServiceContext, serial: string, at: number): Promise<void> {
  const said = { firmware: secret, sensors: 'zebra 21 °C', panel: secret, sha256: secret, session: secret };
  const payload = { dialect: secret, wake: 'timer', batteryMv: 5800, orientation: 0, boot: at / hourMs, ...said };
  await recordFrameEvent(db, random, { serial, type: 'connect', at: at - 500, payload: {} });
  await recordFrameEvent(db, random, { serial, type: 'hello', at, payload });
  const failed = { stage: 'failed', uploadId: secret, reason: secret } as const;
  await recordFrameEvent(db, random, { serial, type: 'picture', at: at + 20_000, payload: failed });
  await recordFrameEvent(db, random, { serial, type: 'alert', at: at + 21_000, payload: { problem: secret } });
}

async function offer({ db, random }: ServiceContext, serial: string, at: number, revision: string): Promise<void> {
  const picture = { serial, revision, sha256: `${secret}${at}`, bytes: 1, format: 'nibble', panel: 'epd7' } as const;
  const { id } = await uploadLog(db).offer(picture, { now: at, random });
  const times = { announced_at: at + hourMs, fetched_at: at + hourMs, shown_at: at + shownAfterMs, reason: secret };
  await db('uploads')
    .where({ id })
    .update({ ...times, path: `/f/zebra-${at}` });
}

test('nothing that names a frame, a place, a person, a text or a picture is in it', () =>
  withFolder(async (folder, rows) => {
    const env = { PAPERGATE_DATA: folder, ...('url' in rows && { DATABASE_URL: rows.url }) };
    await fill(folder, env);
    assert.match(await everythingStored(rows), /zebra/);
    const { code, stdout, stderr } = await papergate(env, 'record');
    assert.is(code, 0, stderr);
    assert.not.match(stdout + stderr, /zebra/i);
    // Ids, digests and keys are long.
    assert.not.match(stdout, /[0-9a-f]{10}|https?:|\/f\/|@/);
    const { groups, events } = readScenario(stdout);
    assert.equal(
      groups.map(({ name, dialect, sleepSeconds, wakes }) => [name, dialect, sleepSeconds, wakes?.length]),
      [
        ['frame-1', 'native', 1800, 5],
        ['frame-2', 'classic', 3600, 5],
      ],
    );
    assert.equal(
      events.flatMap(({ act }) => (act.do === 'push' ? [[act.text, act.withinMs !== undefined]] : [])),
      [
        ['Picture 1', false],
        ['Picture 2', false],
        ['Picture 3', false],
        ['Picture 4', true],
      ],
    );
    const left = [
      'Left out: 1 frame that said nothing and were offered nothing.',
      'Left out: 1 frame in dialects that are not played.',
    ];
    for (const note of left) {
      assert.ok(stderr.includes(note), stderr);
      assert.ok(stdout.includes(`# ${note}`), stdout);
    }
  }));

test('a file is whole or not there, and nothing is written over unless asked', () =>
  withScratchFolder(async (folder) => {
    const [data, file] = [join(folder, 'data'), join(folder, 'record.yaml')];
    await fill(data);
    const record = (...args: string[]) => papergate({ PAPERGATE_DATA: data }, 'record', ...args);
    const written = await record(file);
    assert.equal([written.code, written.stdout], [0, `${file} has 2 frames; ./papergate scenario ${file} plays it\n`]);
    assert.is((await record(file, '--from', '3h')).code, 1);
    const whole = await readFile(file, 'utf8');
    assert.is(readScenario(whole).groups.length, 2);
    assert.match(
      (await record(file)).stderr,
      /^FILE: .*record\.yaml is there already\n {2}name another file, or add --overwrite\n$/,
    );
    const again = await record(file, '--overwrite', '--device', serials[0].toUpperCase(), '--from', '150m');
    assert.is(again.code, 0, again.stderr);
    const part = readScenario(await readFile(file, 'utf8'));
    assert.equal(
      part.groups.map(({ wakes }) => wakes?.length),
      [2],
    );
    const missing = await record(join(folder, 'no', 'record.yaml'));
    assert.is(missing.code, 1);
    assert.match(missing.stderr, /^FILE: .* is not there, and cannot be made\n/);
    const folderNamed = /^FILE: .* is a folder\n {2}name a file, such as record\.yaml\n$/;
    assert.match((await record(data, '--overwrite')).stderr, folderNamed);
    assert.equal((await readdir(folder)).sort(), ['data', 'record.yaml']);
  }));

test('what is wrong is said in one sentence, with what to do next', () =>
  withScratchFolder(async (folder) => {
    const data = join(folder, 'data');
    await foundService(data);
    const refused = async (code: number, ...args: string[]): Promise<string> => {
      const ended = await papergate({ PAPERGATE_DATA: data }, 'record', ...args);
      assert.equal([ended.code, ended.stdout], [code, '']);
      return ended.stderr;
    };
    const time = '  an age such as 90m, 24h or 7d, or a time such as 2026-01-31T08:00Z\n';
    assert.is(await refused(2, '--from', 'soon'), `--from soon\n${time}`);
    assert.is(await refused(2, '--until', '2026-02-30'), `--until 2026-02-30\n${time}`);
    assert.match(
      await refused(2, '--from', '2h', '--until', '3h'),
      /^--from 2h is not before --until 3h\n {2}an age: /,
    );
    assert.match(await refused(2, '--from', '2099-01-01'), /^--from 2099-01-01 is not before now\n/);
    assert.match(await refused(2, '--from', '500d'), /^--from 500d is too far back\n {2}a record has 399d at the most/);
    assert.is(
      await refused(2, '--device', 'epd7-nobody'),
      '--device epd7-nobody is not a frame of this service\n  ./papergate frames list has their serials\n',
    );
    assert.match(
      await refused(1),
      /^There is nothing to record: no frame said anything or was offered anything from .*\n {2}choose a longer span, such as --from 7d/,
    );
    await writeFile(join(folder, 'note.txt'), 'no service');
    const elsewhere = await papergate({ PAPERGATE_DATA: folder }, 'record');
    assert.is(elsewhere.code, 1);
    assert.match(elsewhere.stderr, /^PAPERGATE_DATA: .* is not a data folder of a service\n/);
  }));

test('a record begins after the days of which wakes are kept as counts only', () =>
  withScratchFolder(async (folder) => {
    const data = join(folder, 'data');
    await fill(data);
    const context = await openContext(readSettings({ PAPERGATE_DATA: data }));
    const now = context.clock.now();
    const today = Math.floor(now / 86_400_000);
    await context.db('event_days').insert({ day: today - 8, folded_at: now });
    await context.close();
    const { code, stdout, stderr } = await papergate({ PAPERGATE_DATA: data }, 'record', '--from', '20d');
    assert.is(code, 0, stderr);
    assert.match(
      stderr,
      /^It begins later than asked: of days before \d{4}-\d\d-\d\d 00:00 wakes are kept as counts only\.\n/,
    );
    assert.is(readScenario(stdout).groups[0]?.wakes?.length, 5);
    const earlier = await papergate({ PAPERGATE_DATA: data }, 'record', '--from', '20d', '--until', '10d');
    assert.is(earlier.code, 1);
    assert.match(earlier.stderr, /^--until 10d: wakes are kept one by one only since /);
  }));

test.run();
