/**
 * The cost of a sweep of the delivery line among 100,000 closed requests, against the same with none:
 * `node --import tsx test/bench/sweep.ts`. Both lines take turns in one process, each with 100 active requests that are
 * due. The figure is the ratio of the medians; a sweep should cost what is due and not what is stored, so at most 1.2.
 * RETAINED (100000) and ROUNDS (21) may be given. On PostgreSQL with DATABASE_URL.
 */
import type { Database } from '../../runtime/database/database.ts';
import { type LineWorld, withLine } from '../delivery/delivery-world.ts';

const retained = Number(process.env.RETAINED ?? 100_000);
const rounds = Number(process.env.ROUNDS ?? 21);
const active = 100;
const minuteMs = 60_000;
const dayMs = 86_400_000;

const id = (kind: string, number: number): string => `${kind}${number.toString(16).padStart(23, '0')}`;

type Row = Record<string, unknown>;

async function insert(db: Database, table: string, rows: readonly Row[]): Promise<void> {
  await db.transaction((trx) => trx.batchInsert(table, [...rows], 500));
}

/** A hundred papers, each shown by a frame that was offered its content and has not woken since. */
async function addActive({ db, clock, paperId, connection }: LineWorld): Promise<void> {
  const now = clock.now();
  const paper = await db('papers').where({ id: paperId }).first();
  const granted = await db('connections').where({ id: connection.connectionId }).first();
  const times = { created_at: now, updated_at: now };
  const all = Array.from({ length: active }, (_, number) => number);
  const serial = (number: number) => `epd7-${number.toString().padStart(12, '0')}`;
  await insert(
    db,
    'papers',
    all.map((number) => ({ ...paper, id: id('a', number), sequence: 1_000_000 })),
  );
  await insert(
    db,
    'connections',
    all.map((number) => ({ ...granted, id: id('c', number), paper_id: id('a', number), token_hash: `hash ${number}` })),
  );
  const frame = {
    kind: 'epd7',
    activation: 'activated',
    sleep_seconds: 3600,
    reported_version: 0,
    announced_version: 1,
  };
  await insert(
    db,
    'frames',
    all.map((number) => ({ serial: serial(number), spelling: serial(number), ...frame, ...times })),
  );
  await insert(
    db,
    'devices',
    all.map((number) => ({
      id: id('d', number),
      organization_id: paper.organization_id,
      serial: serial(number),
      kind: 'epd7',
      paper_id: id('a', number),
      assignment: 1,
      meta: '{}',
      details: '{}',
      ...times,
    })),
  );
  await insert(db, 'content_requests', all.map(requestOf({ state: 'active', age: 0, now })));
  await insert(
    db,
    'paper_contents',
    all.map((number) => ({
      paper_id: id('a', number),
      request_id: id('0', number),
      sequence: 1_000_000,
      text: 'new',
      received_at: now,
    })),
  );
  await insert(db, 'uploads', all.map(uploadOf({ now, serial, replaced: null })));
  await insert(db, 'deliveries', all.map(deliveryOf({ state: 'prepared', now, serial })));
}

/** Requests of the last thirty days, on the same papers and frames, each with its delivery, offer and callbacks. */
async function addRetained({ db, clock }: LineWorld): Promise<void> {
  const now = clock.now();
  const serial = (number: number) => `epd7-${(number % active).toString().padStart(12, '0')}`;
  for (let from = 0; from < retained; from += 10_000) {
    const some = Array.from({ length: Math.min(10_000, retained - from) }, (_, at) => active + from + at);
    await insert(db, 'content_requests', some.map(requestOf({ state: 'closed', age: 29 * dayMs, now })));
    await insert(db, 'uploads', some.map(uploadOf({ now: now - dayMs, serial, replaced: now })));
    await insert(db, 'deliveries', some.map(deliveryOf({ state: 'synced', now, serial })));
    await insert(
      db,
      'callback_events',
      some.map((number) => ({
        id: id('e', number),
        connection_id: id('c', number % active),
        generation: 1,
        request_id: id('0', number),
        state: 'synced',
        body: '{}',
        attempts: 1,
        due_at: null,
        created_at: now,
        delivered_at: now,
      })),
    );
  }
}

function requestOf({ state, age, now }: { state: string; age: number; now: number }) {
  return (number: number): Row => ({
    id: id('0', number),
    connection_id: id('c', number % active),
    generation: 1,
    paper_id: id('a', number % active),
    message_id: `m${number}`,
    content_hash: 'x',
    state,
    text: 'text',
    image_key: null,
    sequence: state === 'active' ? 1_000_000 : number,
    created_at: now - age,
    accepted_at: now - age,
    updated_at: now - age,
    due_at: state === 'active' ? now : null,
  });
}

function uploadOf({ now, serial, replaced }: { now: number; serial: (n: number) => string; replaced: number | null }) {
  return (number: number): Row => ({
    id: id('b', number),
    serial: serial(number),
    revision: id('0', number),
    path: `/f/${number}`,
    picture_sha256: 'y',
    picture_bytes: 1,
    file_version: number + 1,
    previous_version: 0,
    gets: 0,
    offered_at: now,
    announced_at: null,
    fetched_at: null,
    replaced_at: replaced,
  });
}

function deliveryOf({ state, now, serial }: { state: string; now: number; serial: (n: number) => string }) {
  return (number: number): Row => ({
    id: id('f', number),
    request_id: id('0', number),
    paper_id: id('a', number % active),
    serial: serial(number),
    device_id: id('d', number % active),
    assignment: 1,
    frame_name: 'Frame',
    state,
    upload_id: id('b', number),
    attempts: 1,
    due_at: state === 'prepared' ? now : null,
    created_at: now,
    updated_at: now,
  });
}

/** A minute passes, and everything active is looked at again. */
async function sweepMs({ line, clock }: LineWorld): Promise<number> {
  const startedAt = performance.now();
  clock.passes(minuteMs);
  await line.idle();
  return performance.now() - startedAt;
}

const median = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] as number;

await withLine(async (few) => {
  await withLine(async (many) => {
    for (const world of [few, many]) await addActive(world);
    await addRetained(many);
    const times: { readonly few: number[]; readonly many: number[] } = { few: [], many: [] };
    for (let round = -3; round < rounds; round++) {
      const [fewMs, manyMs] = [await sweepMs(few), await sweepMs(many)];
      if (round < 0) continue;
      times.few.push(fewMs);
      times.many.push(manyMs);
    }
    const due = await many.db('deliveries').where({ state: 'prepared' }).where('due_at', '>', many.clock.now()).count();
    const [fewMs, manyMs] = [median(times.few), median(times.many)];
    console.log(`${active} active: ${fewMs.toFixed(1)} ms; with ${retained} closed: ${manyMs.toFixed(1)} ms`);
    console.log(`ratio ${(manyMs / fewMs).toFixed(2)} (at most 1.2); weighed ${JSON.stringify(due[0])}`);
  });
});
