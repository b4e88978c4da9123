/** PostgreSQL fails under a real service process while content is pushed: what was acknowledged stays (FAULT-02). */
import { join } from 'node:path';
import knex, { type Knex } from 'knex';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually, type Push, withFolder } from '../journeys/world.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../postgres-server.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { connectPaper, withProcesses } from './serving.ts';

const postgresFaults = suite('PostgreSQL faults');
const programs = postgresPrograms();
const test = longTest(
  unlessUnable(
    postgresFaults,
    programs === undefined ? 'the programs of PostgreSQL are not here (apt-get install postgresql)' : undefined,
  ),
);

/** A minute allows thirty submissions a connection. */
const submissionsOfPaper = 12;
const papers = 4;

async function withServer(run: (server: PostgresServer, admin: Knex) => Promise<void>): Promise<void> {
  if (programs === undefined) throw new Error('no programs of PostgreSQL');
  const server = startPostgres(programs, { syncs: true });
  const admin = knex({ client: 'pg', connection: server.url, pool: { min: 0, max: 1 } });
  try {
    await run(server, admin);
  } finally {
    await admin.destroy();
    server.stop();
  }
}

/** Ends every session but the one that asks. */
async function endSessions(admin: Knex): Promise<void> {
  await admin.raw(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = ?',
    ['client backend'],
  );
}

/** The acknowledged requests: their ids by message. A submission that was not answered with 202 may have happened. */
type Acknowledged = Map<string, string>;

/** Pushes one message after the other; after a failure when the service answers again. `next` draws the number. */
async function send(push: Push, paper: string, next: () => Promise<void>, acknowledged: Acknowledged): Promise<number> {
  let failed = 0;
  for (let at = 0; at < submissionsOfPaper; at++) {
    const messageId = `${paper} ${at}`;
    const answer = push.submit({ messageId, text: `text of ${messageId}` });
    await Promise.all([
      next(),
      answer.then(
        ({ requestId }) => acknowledged.set(messageId, requestId),
        async (error: { status?: number }) => {
          assert.ok(error.status === undefined || error.status >= 500, `${messageId}: ${error.status}`);
          failed++;
          await eventually('the service answers again', () =>
            push.status().then(
              () => true,
              () => false,
            ),
          );
        },
      ),
    ]);
  }
  return failed;
}

test('INV-01, INV-15, FAULT-02: sessions that end and servers that fail take nothing that was acknowledged', () =>
  withServer((server, admin) =>
    withFolder((folder) =>
      withProcesses(async ({ integration, serve }) => {
        for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
          assert.is((await admin.raw(`show ${setting}`)).rows[0][setting], 'on');
        }
        const serving = await serve(join(folder, 'data'), { found: true }, [], { url: server.url });
        const faults = [endSessions, () => server.fail(), endSessions, () => server.fail()];
        const every = Math.floor((papers * submissionsOfPaper) / (faults.length + 1));
        let sent = 0;
        // The one who draws the number of a fault brings it about, while all others go on.
        const next = async (): Promise<void> => {
          if (++sent % every === 0) await faults.shift()?.(admin);
        };
        const acknowledged: Acknowledged = new Map();
        const pushes: Push[] = [];
        for (let at = 0; at < papers; at++) pushes.push(await connectPaper(serving, integration));
        const failed = await Promise.all(pushes.map((push, at) => send(push, `paper ${at}`, next, acknowledged)));

        const all = papers * submissionsOfPaper;
        assert.is(faults.length, 0, 'every fault came');
        assert.ok(
          failed.some((count) => count > 0),
          'a run in which nothing was cut off proves nothing',
        );
        assert.ok(acknowledged.size > all / 2, `${acknowledged.size} of ${all}: the service goes on by itself`);
        const requests = await admin('content_requests').orderBy('sequence');
        for (const [messageId, id] of acknowledged) {
          const row = requests.find((one) => one.id === id);
          assert.equal(
            [row?.message_id, row?.text, row?.state === 'receiving'],
            [messageId, `text of ${messageId}`, false],
          );
        }
        assert.is(new Set(requests.map(({ message_id }) => message_id)).size, requests.length, 'INV-05');
        const accepted = requests.filter(({ accepted_at }) => accepted_at !== null);
        for (const { paper_id, request_id } of await admin('paper_contents')) {
          assert.is(request_id, accepted.filter((one) => one.paper_id === paper_id).at(-1).id, 'INV-15');
        }
        const events = await admin('callback_events').where({ state: 'available' }).pluck('request_id');
        assert.equal([...events].sort(), accepted.map(({ id }) => id).sort(), 'INV-22, INV-60');
        assert.is(await serving.end('SIGTERM'), 0);
      }),
    ),
  ));

postgresFaults.run();
