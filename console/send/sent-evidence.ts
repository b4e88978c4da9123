/** The progress of each sending on each frame: read from the service by the id under which it was sent. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { fleet } from '../ground/fleet.ts';
import { now } from '../ground/times.ts';
import { type Sending, sendings } from './sendings.ts';

/** The service's report of one sending on one frame. */
export type SentEvidence = AnswerOf<'GET /devices/{deviceId}/sent'>[number];

const found = signal<ReadonlyMap<string, SentEvidence>>(new Map());
const keyOf = (deviceId: string, sentId: string): string => `${deviceId} ${sentId}`;
/** The pace at which progress is read again that the stream does not report. */
const rereadMs = 60_000;

/** Returns what is known of a sending on a frame; undefined until it was read. */
export const evidenceOf = ({ sentId }: Sending, deviceId: string): SentEvidence | undefined =>
  sentId === undefined ? undefined : found.value.get(keyOf(deviceId, sentId));

/** Returns the ids that are asked for, by device. */
function asked(): ReadonlyMap<string, readonly string[]> {
  const ids = new Map<string, string[]>();
  for (const { sentId, state, target } of sendings.value) {
    if (sentId === undefined || (state !== 'sent' && state !== 'arrived')) continue;
    for (const device of target.frames) ids.set(device, [...(ids.get(device) ?? []), sentId]);
  }
  return ids;
}

async function read(deviceId: string, ids: readonly string[], signal: AbortSignal): Promise<void> {
  const rows = await callApi('GET /devices/{deviceId}/sent', {
    path: { deviceId },
    query: { ids: ids.join(',') },
    signal,
  });
  if (signal.aborted) return;
  found.value = new Map([...found.peek(), ...rows.map((row) => [keyOf(deviceId, row.id), row] as const)]);
}

/** Keeps it as the service has it, while the list stands. */
export function useSentEvidence(): void {
  const ids = asked();
  const version = [...ids].map(([device, all]) => {
    const { glass, due, paper } = fleet.value.get(device) ?? {};
    return [device, all, glass, due, paper?.id];
  });
  const minute = Math.floor(now.value / rereadMs);
  useEffect(() => {
    const asking = new AbortController();
    // What could not be read is read with the next change.
    for (const [device, all] of ids) void read(device, all, asking.signal).catch(() => undefined);
    return () => asking.abort();
  }, [JSON.stringify(version), minute]);
}
