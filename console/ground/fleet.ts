/** Every device of the organization, kept in step with the live stream: rows that changed are read again, not all. */

import { effect, signal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { callApi, type Problem } from './call-api.ts';
import { type LiveChange, listen } from './live.ts';
import { asProblem } from './resource.ts';
import { organizationId } from './session.ts';

type DeviceOverview = Schemas['DeviceOverview'];

/** One device as `GET /devices/overview` returns it. */
export type FleetDevice = DeviceOverview;

/** The devices by id. */
export const fleet = signal<ReadonlyMap<string, FleetDevice>>(new Map());
/** Whether the list has loaded, and if not, why. */
export const fleetState = signal<{ readonly isLoaded: boolean; readonly problem: Problem | undefined }>({
  isLoaded: false,
  problem: undefined,
});

const pageRows = 2_000;
const idsAtOnce = 100;
/** Changes of this time are read together: a wake is one reading, and a fleet that wakes two a second, whatever its size. */
const collectMs = 500;
/**
 * The pace at which everything is read again, for changes that the stream does not report, such as a frame that falls
 * silent.
 */
const rereadMs = 120_000;

let reading = 0;

/** Reads all rows again, page by page, so that the first cards stand before the last row has come. */
export async function loadFleet(organization = organizationId.peek()): Promise<void> {
  const mine = ++reading;
  const found = new Map<string, FleetDevice>();
  try {
    for (let after = ''; ; ) {
      const rows = await callApi('GET /devices/overview', {
        query: { organization, limit: pageRows, after: after === '' ? undefined : after },
      });
      if (mine !== reading) return;
      for (const row of rows) found.set(row.id, row);
      after = rows.at(-1)?.id ?? '';
      const isLast = rows.length < pageRows;
      // While the list is read again, the old rows stay until the new ones are complete.
      if (isLast || !fleetState.peek().isLoaded) fleet.value = new Map(found);
      if (isLast) break;
    }
    fleetState.value = { isLoaded: true, problem: undefined };
  } catch (error) {
    if (mine === reading) fleetState.value = { ...fleetState.peek(), problem: asProblem(error) };
  }
}

const changed = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;

function note({ event, data }: LiveChange): void {
  if (event === 'lost' || event === 'ready') return void loadFleet();
  const record = data.record === 'device' ? data.recordId : undefined;
  const named = [record, data.deviceId, ...(Array.isArray(data.deviceIds) ? data.deviceIds : [])];
  const ids = named.filter((id): id is string => typeof id === 'string');
  if (event === 'many' && ids.length === 0) return void loadFleet();
  for (const id of ids) changed.add(id);
  if (ids.length > 0 && timer === undefined) timer = setTimeout(() => void rereadChanged(), collectMs);
}

/** Reads the rows again that changed; one that the service leaves out is gone. */
async function rereadChanged(): Promise<void> {
  const ids = [...changed];
  changed.clear();
  timer = undefined;
  const organization = organizationId.peek();
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const some = ids.slice(at, at + idsAtOnce);
    const rows = await callApi('GET /devices/overview', { query: { organization, ids: some.join(',') } }).catch(
      () => undefined,
    );
    if (rows === undefined || organization !== organizationId.peek()) return;
    const next = new Map(fleet.peek());
    for (const id of some) next.delete(id);
    for (const row of rows) next.set(row.id, row);
    fleet.value = next;
  }
}

/** Reads one device again, after an action of the person. */
export async function rereadDevice(id: string): Promise<void> {
  changed.add(id);
  await rereadChanged();
}

let isFollowing = false;

/** Keeps the list in step from now on, for the organization that is looked at. */
export function followFleet(): void {
  if (isFollowing) return;
  isFollowing = true;
  listen(note);
  effect(() => {
    const organization = organizationId.value;
    fleet.value = new Map();
    fleetState.value = { isLoaded: false, problem: undefined };
    if (organization !== '') void loadFleet(organization);
  });
  setInterval(() => {
    if (!document.hidden && organizationId.peek() !== '') void loadFleet();
  }, rereadMs);
}
