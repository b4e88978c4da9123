/** Frames that poll alongside something else: each wakes in its turn, so many a minute over all of them. */
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { readCall } from '../../firmware-protocol/trmnl/headers.ts';
import { registerAdopted } from '../../gateway/adoption/adopt-frame.ts';
import { askerOf, noteAsking } from '../../gateway/adoption/waiting-frames.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type Database, transact } from '../../runtime/database/database.ts';

const addressOf = (at: number): string =>
  `AA:BB:CC:DD:${(at >> 8).toString(16).padStart(2, '0')}:${(at & 255).toString(16).padStart(2, '0')}`.toUpperCase();
const keyOf = (at: number): string => `key-of-a-former-server-${at}`;

/** The headers of a display call. */
export const displayHeaders = (id: string, key: string) => ({
  id,
  'access-token': key,
  'refresh-rate': '1803',
  'battery-voltage': '4.05',
  'fw-version': '1.8.14',
  model: 'og',
  rssi: '-61',
  width: '800',
  height: '480',
  'update-source': 'timer',
});
const headersOf = (at: number) => displayHeaders(addressOf(at), keyOf(at));

/** Adopts frames that come with the key of a former server, so that none of them has to be set up. */
export async function hangPolledFrames(db: Database, count: number): Promise<void> {
  const now = Date.now();
  for (let at = 0; at < count; at++) {
    const call = readCall(headersOf(at));
    if (call === undefined) throw new Error(`nobody reads the headers of frame ${at}`);
    const { serial } = call;
    await transact(db, async (trx) => {
      await noteAsking(trx, call, askerOf(call.token, undefined), now);
      await registerAdopted(trx, { clock: systemClock }, { serial });
      await frameRegistry(trx).setActivation(serial, 'activated', now);
    });
  }
}

/** How wakes went. Milliseconds are from the call to the end of its answer. */
export interface PolledWakes {
  readonly answered: number;
  readonly failed: readonly string[];
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** Wakes frames in turn, evenly, until the signal. */
export async function wakePolled(
  url: string,
  count: number,
  perMinute: number,
  signal: AbortSignal,
): Promise<PolledWakes> {
  const pool = new Pool(url, { connections: 64 });
  const took: number[] = [];
  const failed: string[] = [];
  const wake = async (at: number): Promise<void> => {
    const began = performance.now();
    const answer = await pool.request({ path: '/trmnl/api/display', method: 'GET', headers: headersOf(at) });
    const text = await answer.body.text();
    if (answer.statusCode === 200 && text.includes('"refresh_rate"')) took.push(performance.now() - began);
    else failed.push(`${answer.statusCode} ${text.slice(0, 200)}`);
  };
  const underWay: Promise<unknown>[] = [];
  const startedAt = performance.now();
  for (let wakes = 0; !signal.aborted; wakes++) {
    underWay.push(wake(wakes % count).catch((error: Error) => failed.push(error.message)));
    await pause(Math.max(0, startedAt + ((wakes + 1) * 60_000) / perMinute - performance.now()));
  }
  await Promise.all(underWay);
  await pool.close();
  took.sort((one, other) => one - other);
  const at = (share: number): number => took[Math.floor(took.length * share)] ?? 0;
  return { answered: took.length, failed, medianMs: at(0.5), p99Ms: at(0.99) };
}
