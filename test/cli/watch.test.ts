import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EventStage, recordFrameEvent } from '../../gateway/frames/event-log.ts';
import type { Evidence } from '../../gateway/pictures/evidence.ts';
import { picture } from '../http/world.ts';
import { papergateCommand } from '../runner/built.ts';
import { longTest } from '../some-times.ts';
import { type CliWorld, papergateUnread, withCli } from './papergate.ts';

const test = suite('papergate watch');

const serial = 'epd7-0000000000aa';
async function hang({ frames, admin, call }: CliWorld): Promise<{ deviceId: string; paper: string }> {
  frames.provision(serial);
  const json = { enable: true, organization: admin.organizationId };
  const { device } = (await call('POST', `/devices/registerdevice/${serial}`, { as: admin, json })).json;
  await call('POST', `/devices/${device.id}`, { as: admin, json: { meta: { name: 'Kit\u001b[2Jchen' } } });
  const body = { deviceId: device.id, kind: 'image', organization: admin.organizationId };
  const paper = (await call('POST', '/papers/', { as: admin, json: body })).json.id;
  const form = new FormData();
  form.append('picture', new Blob([new Uint8Array(picture('one'))]), 'one.png');
  await call('POST', `/papers/uploadSingleImage/${paper}`, { as: admin, body: form });
  return { deviceId: device.id, paper };
}

test('it prints a line for each change, once, whatever steers terminals in it, until Ctrl-C', () =>
  withCli(async (world) => {
    await hang(world);
    const { db, random, clock, url, admin } = world;
    const env = { PATH: process.env.PATH, PAPERGATE_URL: url, PAPERGATE_API_KEY: admin.key };
    const child = spawn(process.execPath, [papergateCommand, 'watch', '--interval', '1'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines: string[] = [];
    const reader = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    const say = (stage: EventStage) =>
      recordFrameEvent(db, random, { serial, type: 'picture', at: clock.now(), payload: { stage, fileVersion: 2 } });
    // Its first line shows that it is listening.
    await once(createInterface({ input: child.stderr }), 'line');
    await say('shown');
    while (!lines.some((line) => line.includes('shown'))) await once(reader, 'line');
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    assert.is(code, 0);
    const shown = lines.filter((line) => line.includes('stage=shown'));
    assert.is(shown.length, 1);
    assert.match(String(shown[0]), /^\d{4}-\d\d-\d\dT\S+Z {2}Kit \[2Jchen {2}picture {2}stage=shown fileVersion=2$/);
  }));

longTest(test)('it ends when nobody reads it any longer', () =>
  withCli(async (world) => {
    await hang(world);
    const { db, random, clock, url, admin } = world;
    const env = { PAPERGATE_URL: url, PAPERGATE_API_KEY: admin.key };
    const ended = papergateUnread(env, 'watch', '--interval', '1');
    let isOver = false;
    ended.then(() => {
      isOver = true;
    });
    for (let at = 0; !isOver && at < 100; at++) {
      await recordFrameEvent(db, random, { serial, type: 'hello', at: clock.now(), payload: { at } });
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    assert.equal(await ended, { code: 0, stdout: '', stderr: `watching ${url}; Ctrl-C ends it\n` });
  }),
);

longTest(test)(
  '--until-synced ends with 0 when every frame proves it, and with 1 and what is missing when it is too late',
  () =>
    withCli(async (world) => {
      const { paper } = await hang(world);
      const { run, frames, db, clock } = world;
      const late = await run('watch', '--until-synced', paper, '--timeout', '1', '--interval', '1');
      assert.is(late.code, 1);
      assert.match(
        late.stderr,
        new RegExp(
          `^watching \\S+ Ctrl-C ends it\nPaper ${paper} is not synced on every frame\n {2}Kit.*: nothing was offered`,
        ),
      );
      const row = await db('papers').where({ id: paper }).first('picture_revision');
      const now = clock.now();
      const proven: Evidence = {
        uploadId: 'u',
        revision: `picture:${row.picture_revision}`,
        fileVersion: 2,
        previousVersion: 1,
        reportedVersion: 2,
        pictureSynced: true,
        offeredAt: now,
        announcedAt: now,
        fetchedAt: now,
        shownAt: now,
        confirmedAt: now,
        grade: 'reported',
        failedAt: null,
        reasons: [],
        replaced: false,
        lastContactAt: now,
        expectedWakeAt: null,
        digestMatches: true,
        conflictSince: undefined,
      };
      frames.evidence.set(serial, proven);
      const done = await run('watch', '--until-synced', paper);
      assert.is(done.code, 0, done.stderr);
      assert.match(done.stderr, new RegExp(`\nPaper ${paper} is synced: every frame`));
      const none = await run('watch', '--until-synced', '0'.repeat(24));
      assert.equal(
        [none.code, none.stderr.slice(none.stderr.indexOf('\n') + 1)],
        [1, `No frame shows paper ${'0'.repeat(24)}\n  ./papergate devices list\n`],
      );
      assert.is((await run('watch', '--interval', '0')).code, 2);
    }),
);

test.run();
