/** An archive gives back the rows of every moment that it says it holds, whatever happened to the service and the place. */
import { createHash } from 'node:crypto';
import { setImmediate as immediate } from 'node:timers/promises';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSpans, wayTo } from '../../runtime/archive/archive-moments.ts';
import { type ArchivedService, beganAt, rowsAt, withArchived } from './archive-world.ts';

const test = suite('archiver');

const write = ({ writer }: ArchivedService, text: string): void =>
  void writer.prepare('insert into notes (text) values (?)').run(text);

test('every archived moment can be had, to the segment', () =>
  withArchived(async (service) => {
    const { clock } = service;
    const rounds = service.open();
    write(service, 'before');
    await rounds.round();
    const after: unknown[][] = [service.rows()];
    for (let n = 1; n <= 5; n++) {
      clock.move(10_000);
      write(service, `note ${n}`);
      await rounds.round();
      after.push(service.rows());
    }
    assert.equal(service.state(), { until: beganAt + 50_000, fault: undefined });
    for (const [n, rows] of after.entries()) {
      assert.equal(await rowsAt(service, beganAt + n * 10_000), { at: beganAt + n * 10_000, rows });
      if (n < 5) assert.equal((await rowsAt(service, beganAt + n * 10_000 + 9_999)).rows, rows);
    }
    assert.equal((await rowsAt(service, undefined)).rows, after[5]);
  }));

test('a moment before the first copy, in the future or in a hole is refused with the nearest', () =>
  withArchived(async (service) => {
    const first = service.open();
    await first.round();
    first.close();
    service.clock.move(600_000);
    await service.open().round();
    const spans = await readSpans(service.place);
    const refused = (ms: number) => {
      try {
        wayTo(spans, beganAt + ms);
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    };
    assert.match(
      refused(-1),
      /does not hold 2026-11-30T11:59:59.999Z; the nearest moment is 2026-11-30T12:00:00.000Z after it/,
    );
    assert.match(
      refused(300_000),
      /nearest moments are 2026-11-30T12:00:00.000Z before it and 2026-11-30T12:10:00.000Z after it/,
    );
    assert.match(refused(86_400_000), /nearest moment is 2026-11-30T12:10:00.000Z before it/);
    assert.is(refused(600_000), '');
  }));

/** Plays a round; the time that a call may take passes as soon as the place does not answer one. */
async function roundIn({ clock, place }: ArchivedService, rounds: { round(): Promise<void> }): Promise<void> {
  let [isOver, seen] = [false, place.unanswered];
  const run = rounds.round().finally(() => {
    isOver = true;
  });
  for (; !isOver; await immediate()) {
    if (place.unanswered === seen) continue;
    seen = place.unanswered;
    clock.move(150_000);
  }
  await run;
}

test('a place that is away, lies or does not answer holds nobody up, and what waited is archived afterwards', () =>
  withArchived(async (service) => {
    const { clock, place, said } = service;
    const rounds = service.open();
    await rounds.round();
    for (const trouble of ['away', 'lies', 'silent'] as const) {
      place.trouble = trouble;
      const until = service.state().until;
      said.length = 0;
      for (let n = 0; n < 3; n++) {
        clock.move(10_000);
        write(service, `${trouble} ${n}`);
        await roundIn(service, rounds);
      }
      assert.is(service.state().until, until);
      assert.is(said.length, 1, said.join());
      assert.match(service.state().fault?.message ?? '', /cannot be used|other bytes|does not answer/);
      place.trouble = 'none';
      if (trouble === 'silent') continue;
      await rounds.round();
      assert.is(service.state().fault, undefined);
      assert.equal((await rowsAt(service, undefined)).rows, service.rows());
    }
  }));

test('a log that grows too long while the place is away is let go, and a new copy begins another chain', () =>
  withArchived(async (service) => {
    const { clock, place, writer, said } = service;
    const rounds = service.open({ maxFrames: 500 });
    await rounds.round();
    place.trouble = 'away';
    for (let n = 0; n < 5; n++) write(service, 'x'.repeat(1_000_000));
    writer.exec('delete from notes');
    clock.move(10_000);
    await rounds.round();
    assert.match(said.at(-1), /too long/);
    place.trouble = 'none';
    write(service, 'after');
    clock.move(10_000);
    await rounds.round();
    assert.equal((await rowsAt(service, undefined)).rows, service.rows());
    assert.throws(() => wayTo([], undefined), /holds no moment yet/);
    assert.is((await readSpans(place)).length, 2);
  }));

test('of two services that archive into one place the second waits, and takes over when the first is silent', () =>
  withArchived(async (service) => {
    const { clock, place } = service;
    const first = service.open();
    await first.round();
    const second = service.open({ holder: 'holder2' });
    for (let n = 0; n < 30; n++) {
      clock.move(20_000);
      const before = new Map(place.objects);
      await second.round();
      const seenAlive = n > 2 ? /^another service archives into the same place/ : /^another /;
      assert.match(service.state().fault?.message ?? '', seenAlive);
      assert.equal([...place.objects], [...before], 'the second writes nothing');
      await first.round();
      assert.is(service.state().fault, undefined);
    }
    for (let n = 0; n < 10; n++) {
      clock.move(20_000);
      await second.round();
    }
    assert.is(service.state().fault, undefined);
    clock.move(20_000);
    write(service, 'of the second');
    await second.round();
    const held = [...place.objects.keys()].filter((name) => name.startsWith('chains/'));
    await first.round();
    assert.match(service.state().fault?.message ?? '', /another service/);
    assert.equal(
      [...place.objects.keys()].filter((name) => name.startsWith('chains/')),
      held,
    );
    const stranger = service.open({ service: 'service-2', holder: 'holder3' });
    await stranger.round();
    assert.match(service.state().fault?.message ?? '', /archive of another service/);
  }));

test('files are archived before the rows that name them, each once, and a damaged one is left out', () =>
  withArchived(async (service) => {
    const { clock, files, place } = service;
    const named = (text: string): string => `files/${createHash('sha256').update(text).digest('hex')}`;
    files.set(named('one'), Buffer.from('one'));
    files.set(named('damaged'), Buffer.from('other'));
    const rounds = service.open();
    await rounds.round();
    files.set(named('two'), Buffer.from('two'));
    write(service, 'names two');
    clock.move(10_000);
    await rounds.round();
    const names = [...place.objects.keys()].filter((name) => name.startsWith('files/'));
    const at = (ms: number): string => String(beganAt + ms).padStart(14, '0');
    assert.equal(names, [`files/${named('one')}-${at(0)}`, `files/${named('two')}-${at(10_000)}`]);
    const order = [...place.objects.keys()];
    assert.ok(order.indexOf(names[1] ?? '') < order.findIndex((name) => /^chains\/[^/]+\/00000001-/.test(name)));
  }));

test('with a key nothing in the archive can be read without it', () =>
  withArchived(async (service) => {
    const key = 'k'.repeat(32);
    const rounds = service.open({ key });
    write(service, 'a secret text of somebody');
    await rounds.round();
    assert.equal((await rowsAt(service, undefined, key)).rows, service.rows());
    for (const [name, bytes] of service.place.objects) {
      if (name === 'archive.json' || name.startsWith('leases/')) continue;
      assert.is(bytes.toString('latin1', 0, 18), 'age-encryption.org', name);
    }
    for (const wrong of [undefined, 'l'.repeat(32)]) {
      await rowsAt(service, undefined, wrong).then(
        () => assert.unreachable(),
        (error: Error) => assert.match(error.message, /is encrypted|another key/),
      );
    }
  }));

test('moments older than the days that are kept go once a newer copy is whole, and no other', () =>
  withArchived(async (service) => {
    const { clock, place } = service;
    const rounds = service.open({ days: 2 });
    const day = 86_400_000;
    for (let n = 0; n < 6; n++) {
      write(service, `day ${n}`);
      await rounds.round();
      clock.move(day / 2);
      write(service, `noon of ${n}`);
      await rounds.round();
      clock.move(day / 2);
    }
    const [span] = await readSpans(place);
    assert.is(span?.from, beganAt + 3 * day);
    const { rows } = await rowsAt(service, beganAt + 3.5 * day);
    assert.is(rows.length, 8);
    const parts = [...place.objects.keys()].filter((name) => name.includes('/part-'));
    assert.is(parts.length, 3);
  }));

const act = fc.constantFrom(
  'write',
  'write',
  'write',
  'big',
  'remove',
  'round',
  'round',
  'round',
  'kill',
  'away',
  'lies',
  'back',
  'day',
  'clock back',
);

test('whatever happens in whatever order, each moment that the archive holds has the rows of that moment', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 60 }), (acts) => playActs(acts)),
    { numRuns: Number(process.env.RUNS ?? 10) },
  );
});

async function playActs(acts: readonly string[]): Promise<void> {
  await withArchived(async (service) => {
    const { clock, writer, place } = service;
    let rounds = service.open();
    let latest = beganAt;
    const moments: { at: number; rows: unknown[] }[] = [];
    for (const kind of acts) {
      clock.move(kind === 'day' ? 86_400_000 : 1_000);
      if (kind === 'clock back' && moments.length > 0) clock.move(-500);
      latest = Math.max(latest, clock.now());
      if (kind === 'write') write(service, `at ${clock.now()}`);
      if (kind === 'big') for (let n = 0; n < 300; n++) write(service, 'y'.repeat(9_000));
      if (kind === 'remove') writer.exec('delete from notes where id % 3 = 0');
      if (kind === 'round') await rounds.round();
      if (kind === 'kill') {
        rounds.close();
        writer.pragma('wal_autocheckpoint=1000');
        rounds = service.open();
      }
      if (kind === 'away' || kind === 'lies') place.trouble = kind;
      if (kind === 'back') place.trouble = 'none';
      moments.push({ at: clock.now(), rows: service.rows() });
    }
    place.trouble = 'none';
    clock.move(1_000);
    await rounds.round();
    await rounds.round();
    assert.is(service.state().fault, undefined);
    assert.equal((await rowsAt(service, undefined)).rows, service.rows());
    for (const span of await readSpans(place)) {
      for (const { at } of moments.filter(({ at }) => span.from <= at && at <= span.until)) {
        const got = await rowsAt(service, at);
        const then = moments.findLast((moment) => moment.at <= got.at);
        assert.equal(got.rows, then?.rows ?? [], `rows of ${new Date(at).toISOString()}`);
      }
    }
  });
}

test.run();
