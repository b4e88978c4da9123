/** The outbox as a machine: whatever happens to its tabs, its network and its service, it ends, and nothing comes twice. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  add,
  again,
  fateOf,
  goesOn,
  isOpen,
  maxTries,
  nextStep,
  type OutboxRow,
  type Outcome,
  settle,
  take,
} from '../../console/parts/drafts/outbox.ts';
import { workOutbox } from '../../console/parts/drafts/work-outbox.ts';

const test = suite('outbox');

interface Row extends OutboxRow {
  readonly pictureId?: string;
}

const newRow = (id: string, order: number, showId?: string): Row => ({
  id,
  draft: id,
  showId,
  state: 'queued',
  hasArrived: false,
  order,
  tries: 0,
  notBefore: 0,
  lease: undefined,
});

/** The events at a call: its answer is lost, it never comes, its tab is killed before or after, or it is refused. */
const events = ['well', 'lost-answer', 'no-network', 'killed-before', 'killed-after', 'busy', 'refused'] as const;
type Event = (typeof events)[number];

/** The tab is gone: none of its steps happens any longer. */
class Killed extends Error {}

/** A browser with tabs over one store, and a service that knows what came under which name. */
class World {
  rows: readonly Row[];
  now = 1_000_000;
  readonly arrived = new Map<string, number>();
  readonly sends = new Map<string, number>();
  readonly shows: (readonly string[])[] = [];
  showCalls = 0;
  readonly #events: Event[];
  #tabs = 0;

  constructor(rows: readonly Row[], happens: readonly Event[]) {
    this.rows = rows;
    this.#events = [...happens];
  }

  /** Does something at the service as the next event has it; what is done twice under one name is done once. */
  async #call(does: () => void): Promise<'well' | 'later' | 'refused'> {
    const event = this.#events.shift() ?? 'well';
    if (event === 'killed-before') throw new Killed();
    if (event === 'no-network' || event === 'busy') return 'later';
    if (event === 'refused') return 'refused';
    does();
    if (event === 'killed-after') throw new Killed();
    return event === 'lost-answer' ? 'later' : 'well';
  }

  /** A tab that works until it is killed or has nothing to do; it returns when to come back. */
  async tab(isAlone: boolean): Promise<number | undefined> {
    const me = `tab ${++this.#tabs}`;
    const outcome = (kind: 'well' | 'later' | 'refused', values: Partial<Row>): Outcome<Row> =>
      kind === 'well'
        ? { kind: 'done', values: () => values }
        : kind === 'later'
          ? { kind, values: {}, pauseMs: 0 }
          : { kind, values: {} };
    try {
      return await workOutbox<Row>({
        me,
        isAlone,
        now: () => this.now,
        isOver: () => false,
        change: async (how) => {
          await Promise.resolve();
          this.rows = how(this.rows);
          return this.rows;
        },
        isThere: async () => true,
        send: async (row) => {
          this.sends.set(row.id, (this.sends.get(row.id) ?? 0) + 1);
          return outcome(await this.#call(() => this.arrived.set(row.id, 1)), { pictureId: row.id });
        },
        show: async (rows) => {
          this.showCalls++;
          return outcome(await this.#call(() => this.shows.push(rows.map(({ id }) => id))), {});
        },
        takeBack: async ({ id }) => void this.arrived.delete(id),
        every: () => () => undefined,
      });
    } catch (error) {
      if (error instanceof Killed) return this.now;
      throw error;
    }
  }
}

/** Works in tabs that open one after the other until nothing is left; fails when it does not end. */
async function playOut(world: World, isAlone: boolean): Promise<void> {
  for (let turn = 0; turn < 400; turn++) {
    const until = await world.tab(isAlone);
    if (!world.rows.some(goesOn)) return;
    world.now = Math.max(world.now + 1, until ?? world.now);
  }
  assert.unreachable(`still going: ${JSON.stringify(world.rows)}`);
}

const someRows = fc
  .array(fc.constantFrom(undefined, 'show 1', 'show 2'), { minLength: 1, maxLength: 6 })
  .map((shows) => shows.map((showId, at) => newRow(`row ${at}`, at, showId)));

test('it ends, however often its tab is killed and its network lost: each picture is sent so often at most, and comes once', () =>
  fc.assert(
    fc.asyncProperty(
      someRows,
      fc.array(fc.constantFrom(...events), { maxLength: 60 }),
      fc.boolean(),
      async (rows, happens, isAlone) => {
        const world = new World(rows, happens);
        await playOut(world, isAlone);
        for (const { id, state, hasArrived } of world.rows) {
          assert.ok((world.sends.get(id) ?? 0) <= maxTries, `${id} was sent ${world.sends.get(id)} times`);
          assert.ok(['sent', 'refused', 'stopped'].includes(state), state);
          if (hasArrived) assert.ok(world.arrived.has(id));
        }
        for (const show of ['show 1', 'show 2']) {
          const sent = world.rows.filter((row) => row.showId === show && row.state === 'sent').map(({ id }) => id);
          if (sent.length > 0) assert.equal(world.shows.at(-1) !== undefined, true);
          for (const id of sent)
            assert.ok(
              world.shows.some((shown) => shown.includes(id)),
              `${id} was never shown`,
            );
        }
        assert.ok(world.showCalls <= 2 * maxTries);
      },
    ),
    { numRuns: 300 },
  ));

test('two tabs at once, with locks or with leases alone, send each picture as often as one tab would', () =>
  fc.assert(
    fc.asyncProperty(
      someRows,
      fc.array(fc.constantFrom('well', 'lost-answer', 'busy'), { maxLength: 20 }),
      async (rows, happens) => {
        const world = new World(rows, happens as Event[]);
        for (let turn = 0; turn < 100 && world.rows.some(goesOn); turn++) {
          const untils = await Promise.all([world.tab(false), world.tab(false)]);
          const next = untils.filter((until) => until !== undefined);
          world.now = Math.max(world.now + 1, ...(next.length > 0 ? [Math.min(...next)] : []));
        }
        assert.not(world.rows.some(goesOn));
        const failures = happens.filter((one) => one !== 'well').length;
        const calls = [...world.sends.values()].reduce((sum, count) => sum + count, 0);
        assert.ok(calls <= rows.length + failures, `${calls} calls for ${rows.length} rows and ${failures} failures`);
      },
    ),
    { numRuns: 200 },
  ));

test('a row that stopped is tried again when a person asks, from the step at which it stopped', async () => {
  const world = new World(
    [newRow('one', 1, 'show'), newRow('two', 2, 'show')],
    ['well', 'well', ...Array(5).fill('busy')],
  );
  await playOut(world, true);
  assert.equal(
    world.rows.map(({ state }) => state),
    ['stopped', 'stopped'],
  );
  world.rows = again(world.rows, 'one');
  await playOut(world, true);
  assert.equal(
    world.rows.map(({ state }) => state),
    ['sent', 'sent'],
  );
  assert.equal(world.shows, [['one', 'two']]);
  assert.equal([...world.sends.values()], [1, 1], 'no picture was sent twice');
});

test('a picture that is called off while it is sent is taken back at the service', async () => {
  const world = new World([newRow('one', 1), newRow('two', 2)], []);
  const send = world.tab(true);
  await Promise.resolve();
  await Promise.resolve();
  await Promise.resolve();
  world.rows = world.rows.filter(({ id }) => id !== 'one');
  await send;
  assert.equal([...world.arrived.keys()], ['two']);
});

test('a picture is in hand until it is on its way, and gone once all its places have it', () => {
  const row = newRow('garden', 1);
  assert.is(fateOf('garden', []), 'in-hand');
  for (const state of ['queued', 'sending', 'arrived', 'stopped'] as const) {
    assert.is(fateOf('garden', [{ ...row, state }]), 'going');
    assert.ok(isOpen({ state }));
  }
  assert.is(fateOf('garden', [{ ...row, state: 'refused' }]), 'in-hand');
  assert.is(
    fateOf('garden', [
      { ...row, state: 'sent' },
      { ...row, id: 'else', state: 'queued' },
    ]),
    'going',
  );
  assert.is(fateOf('garden', [{ ...row, state: 'sent' }]), 'gone');
});

test('what is on its way is not put there a second time; another tab’s lease is waited for unless that tab is gone', () => {
  const [row, now] = [newRow('one', 1), 5_000];
  const taken = take([row], { me: 'a', now, isAlone: false });
  assert.equal(taken.step, { kind: 'send', ids: ['one'] });
  assert.equal(add(taken.rows, [row]), taken.rows);
  const other = nextStep(taken.rows, { me: 'b', now, isAlone: false });
  assert.is(other?.kind, 'wait');
  assert.is(nextStep(taken.rows, { me: 'b', now, isAlone: true })?.kind, 'send');
  const ended = settle(taken.rows, { kind: 'send', ids: ['one'] }, { kind: 'later', values: {}, pauseMs: 90_000 }, now);
  assert.is(ended[0]?.notBefore, now + 90_000, 'a service that asks for patience gets it');
});

test.run();
