/**
 * Integrations that ask for what their callbacks reported: once when the faults are over, and at the end of a run both from
 * there on and, as after the loss of a disk, from the oldest event.
 */
import type { Backend } from './backend.ts';
import type { World } from './world.ts';

/** The events that an integration was listed, in their order, and the cursor behind them. */
interface HeardList {
  readonly token: string;
  readonly ids: string[];
  next: string;
}

/** The lists that integrations keep. */
export type Lists = Map<Backend, HeardList>;

const route = 'GET /v1/integration-papers/connections/:connectionId/events';
/** Small, so that a list has several pages. */
const pageSize = 3;

/** Goes on with the list of each integration from where it was. */
export async function readLists(world: World, lists: Lists): Promise<void> {
  for (const backend of world.backends) {
    const { token } = backend.credentials() ?? {};
    if (token === undefined) continue;
    const known = lists.get(backend);
    const list = known?.token === token ? known : { token, ids: [], next: '' };
    lists.set(backend, list);
    await follow(world, backend, list);
  }
}

/** Compares each list that went on with the whole one, and that with what is stored (INV-93). */
export async function judgeLists(world: World, lists: Lists): Promise<void> {
  await readLists(world, lists);
  const { judge, checker, time, trace } = world;
  for (const [backend, list] of lists) {
    const before = time.now();
    const whole: HeardList = { token: list.token, ids: [], next: '' };
    const connection = await follow(world, backend, whole);
    if (connection === undefined) continue;
    const stored = [...judge.rows.events.values()].filter(
      ({ connection_id: id, generation, created_at: at }) =>
        id === connection.id && generation === connection.generation && at < before,
    );
    const listed = new Set(whole.ids);
    const missed = stored.find(({ id }) => !listed.has(id));
    checker.holds(missed === undefined, 'INV-93', () => `callback ${missed?.id} is not listed`);
    checker.holds(listed.size === whole.ids.length, 'INV-93', () => 'an event is listed twice');
    // The oldest that it was listed may be gone since.
    const kept = list.ids.filter((id) => listed.has(id)).join();
    const begins = kept === whole.ids.join().slice(0, kept.length);
    checker.holds(begins, 'INV-93', () => `the list was ${kept}, and is ${whole.ids}`);
    trace.note(`${whole.ids.length} events listed to ${connection.id}`);
  }
}

/** Reads on to the end of a list. @returns the connection; undefined where it may no longer ask, or nobody answers */
async function follow(
  { call, checker, judge, disk }: World,
  backend: Backend,
  list: HeardList,
): Promise<{ readonly id: string; readonly generation: number } | undefined> {
  const { connectionId, token } = backend.credentials() ?? {};
  if (connectionId === undefined || token !== list.token) return undefined;
  const headers = { authorization: `Bearer ${token}` };
  for (let more = true; more; ) {
    const query = { limit: pageSize, after: list.next };
    const answer = await call({ route, params: { connectionId }, headers, query });
    if (answer.kind !== 'ok') return undefined;
    const page = answer.value as { events: { eventId: string }[]; next?: string; more: boolean };
    for (const event of page.events) {
      const isWritten = judge.written.get(event.eventId) === JSON.stringify(event);
      checker.holds(isWritten, 'INV-93', () => `${JSON.stringify(event)} was listed, and never written`);
      list.ids.push(event.eventId);
    }
    list.next = page.next ?? '';
    more = page.more;
  }
  const sql = 'select id, generation from connections where id = ?';
  return disk.sqlite.prepare(sql).get(connectionId) as { id: string; generation: number };
}
