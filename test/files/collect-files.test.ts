/** INV-04, INV-71: files nobody refers to go, and never one that a row refers to, no matter who acts in between. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { collectFolder, type DurableFolder, openDurableFolder } from '../../runtime/disk/durable-folder.ts';
import { type HandClock, handClock } from '../integration/integration-world.ts';

const test = suite('collecting files');

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const bytesOf = (content: number): Buffer => Buffer.from(`content ${content}`);
const nameOf = (content: number): string => createHash('sha256').update(bytesOf(content)).digest('hex');

/** A folder, the rows that refer to it, and writers between their file and their commit. */
interface Store {
  readonly path: string;
  readonly folder: DurableFolder;
  readonly clock: HandClock;
  readonly rows: Set<string>;
  /** Collects; `meanwhile` happens after the look into the rows, before anything is done about it. */
  collect(meanwhile?: () => Promise<void>): Promise<{ condemned: number; restored: number; removed: number }>;
  files(): Promise<string[]>;
}

async function withStore(run: (store: Store) => Promise<void>): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), 'papergate-files-'));
  const clock = handClock();
  const rows = new Set<string>();
  try {
    await run({
      path,
      folder: await openDurableFolder(path),
      clock,
      rows,
      collect: (meanwhile) =>
        collectFolder(
          path,
          async (names) => {
            const used = new Set(names.filter((name) => rows.has(name)));
            await meanwhile?.();
            return used;
          },
          clock,
        ),
      files: async () => (await readdir(path)).sort(),
    });
  } finally {
    await rm(path, { recursive: true });
  }
}

test('an unused file goes in two passes an hour apart, and is read until then', async () => {
  await withStore(async ({ folder, collect, clock, files }) => {
    const name = await folder.put(bytesOf(1));
    assert.equal(await collect(), { condemned: 1, restored: 0, removed: 0 });
    clock.passes(hourMs - 1);
    assert.equal(await collect(), { condemned: 0, restored: 0, removed: 0 });
    assert.equal(await folder.get(name), bytesOf(1));
    clock.passes(1);
    assert.equal(await collect(), { condemned: 0, restored: 0, removed: 1 });
    assert.equal(await files(), []);
    assert.is(await folder.get(name), undefined);
    assert.is(await folder.keep(name), false);
  });
});

test('INV-03, INV-04: a file whose row is committed after the first pass is put back, and was readable all the time', async () => {
  await withStore(async ({ folder, collect, clock, rows, files }) => {
    const name = await folder.put(bytesOf(1));
    await collect();
    rows.add(name);
    assert.equal(await folder.get(name), bytesOf(1));
    clock.passes(hourMs);
    assert.equal(await collect(), { condemned: 0, restored: 1, removed: 0 });
    assert.equal(await files(), [name]);
  });
});

test('INV-04: a writer that comes between the query and the removal keeps its file', async () => {
  for (const claim of ['put', 'keep'] as const) {
    for (const passes of [1, 2]) {
      await withStore(async ({ folder, collect, clock, rows }) => {
        const name = await folder.put(bytesOf(1));
        if (passes === 2) {
          await collect();
          clock.passes(hourMs);
        }
        await collect(async () => {
          if (rows.has(name)) return;
          if (claim === 'put') await folder.put(bytesOf(1));
          else assert.is(await folder.keep(name), true);
          rows.add(name);
        });
        for (let pass = 0; pass < 3; pass++) {
          assert.equal(await folder.get(name), bytesOf(1), `${claim} in pass ${passes}`);
          clock.passes(hourMs);
          await collect();
        }
      });
    }
  }
});

test('a file that a dead process was writing goes after a day, one that is being written stays', async () => {
  await withStore(async ({ path, collect, clock, files }) => {
    const aside = `.${nameOf(1)}.12345.0`;
    await writeFile(join(path, aside), 'half');
    await utimes(join(path, aside), clock.now() / 1000, clock.now() / 1000);
    clock.passes(24 * hourMs);
    await collect();
    assert.equal(await files(), [aside]);
    clock.passes(1);
    await collect();
    assert.equal(await files(), []);
  });
});

/** One thing that happens in a history. Contents are few, so that writers meet over the same bytes. */
type Happening =
  | { readonly kind: 'put' | 'keep' | 'commit' | 'forget'; readonly content: number }
  | { readonly kind: 'pass'; readonly minutes: number }
  | { readonly kind: 'collect'; readonly killedAfter: number; readonly meanwhile: readonly Happening[] };

const simple = fc.oneof(
  fc.record({ kind: fc.constantFrom('put', 'keep', 'commit', 'forget'), content: fc.nat(1) }),
  fc.record({ kind: fc.constant('pass'), minutes: fc.constantFrom(1, 20, 50, 61, 300) }),
) as fc.Arbitrary<Happening>;
const happenings = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: simple },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('collect' as const),
        // Looks into the database before the process dies; most passes live.
        killedAfter: fc.oneof(fc.constant(9), fc.nat(2)),
        meanwhile: fc.array(simple, { maxLength: 3 }),
      }),
    },
  ),
  { maxLength: 40 },
);

async function play(store: Store, history: readonly Happening[]): Promise<void> {
  const { folder, clock, rows } = store;
  /** Since when a writer may commit, by content. */
  const claimed = new Map<number, number>();
  const happen = async (what: Happening): Promise<void> => {
    if (what.kind === 'pass') clock.passes(what.minutes * minuteMs);
    else if (what.kind === 'collect') {
      let looks = 0;
      const killed = new Error('killed');
      await store
        .collect(async () => {
          if (looks === 0) for (const each of what.meanwhile) await happen(each);
          if (looks++ >= what.killedAfter) throw killed;
        })
        .catch((error: unknown) => {
          if (error !== killed) throw error;
        });
    } else if (what.kind === 'put') {
      await folder.put(bytesOf(what.content));
      claimed.set(what.content, clock.now());
    } else if (what.kind === 'keep') {
      if (await folder.keep(nameOf(what.content))) claimed.set(what.content, clock.now());
    } else if (what.kind === 'forget') rows.delete(nameOf(what.content));
    else {
      const since = claimed.get(what.content);
      if (since !== undefined && clock.now() - since < hourMs) rows.add(nameOf(what.content));
      claimed.delete(what.content);
    }
    for (const name of rows) assert.ok(await folder.get(name), `${JSON.stringify(what)} lost a file that a row names`);
  };
  for (const what of history) await happen(what);
}

test('INV-04, INV-71: in no history a row loses its file, and in the end only files of rows are left', async () => {
  await fc.assert(
    fc.asyncProperty(happenings, async (history) => {
      await withStore(async (store) => {
        await play(store, history);
        for (let pass = 0; pass < 3; pass++) {
          store.clock.passes(hourMs);
          await store.collect();
        }
        assert.equal(await store.files(), [...store.rows].sort());
      });
    }),
    { numRuns: 400, seed: 71, endOnFailure: true },
  );
});

test.run();
