/** The probes behind `/iotdevice/status`. Each checks the part itself, not a note about it. */

import type { FrameBroker } from '../../gateway/broker/broker.ts';
import { shakeHands } from '../../gateway/broker/shake-hands.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { beginAndRun, isLocked, maxLockedMs } from '../../runtime/database/database-lock.ts';
import { reasonOfTrouble } from '../../runtime/database-trouble.ts';
import { littleBytes } from '../alerts/look-at-service.ts';
import type { PoolStatus } from '../browser/browser-pool.ts';
import { type Finding, fine, type Health, type Probe, probeTimeoutMs, watchHealth, worst } from './health.ts';

export interface ProbeDeps extends Pick<CommonDeps, 'db' | 'clock'> {
  readonly broker: () => Pick<FrameBroker, 'load' | 'ports'> | undefined;
  readonly mqttHost: string;
  readonly rendering: () => PoolStatus;
  /** Rejects when there is no browser to start. */
  readonly findBrowser: () => Promise<unknown>;
  /** Returns the free bytes of the disk that the data folder is on. */
  readonly freeBytes: () => Promise<number>;
  /** Returns whether many clients share the address of a proxy that is not named. */
  readonly sharesAddress: () => boolean;
}

const slowTimerMs = 500;
const slowDatabaseMs = 1_000;
/** With less than this free, nothing can be kept. */
export const noBytes = 20 * 1024 * 1024;
const certificateEndsSoonMs = 7 * 86_400_000;
/** Half of the number at which the broker turns frames away (T-46). */
const manyMessages = 250;
const manyRenders = 16;
const manyCallbacks = 1_000;
const lateCallbackMs = 3_600_000;
/** Claims last a minute, so nothing is due for longer while somebody drains the outbox. */
const stuckCallbackMs = 300_000;

/** The health of the whole service, part by part. */
export function serviceHealth(deps: ProbeDeps): Health {
  const frames = ['gateway', 'mqtt', 'database'] as const;
  const parts = watchHealth(
    {
      api: async () => {
        const found = await probeApi(deps.clock);
        return deps.sharesAddress() ? { ...found, note: reasonOf('clients-share-address') } : found;
      },
      gateway: () => probeGateway(deps),
      mqtt: () => probeMqtt(deps),
      database: probeDatabase(deps),
      rendering: () => probeRendering(deps),
      callbacks: () => probeCallbacks(deps),
    },
    deps.clock,
  );
  /**
   * Checks everything that frames need: without a browser or callbacks they still come, are commanded, fetch and
   * report.
   */
  const epaper: Probe = async () =>
    worst((await Promise.all(frames.map((kind) => parts.look(kind)))).filter((found) => found !== undefined));
  return {
    kinds: [...parts.kinds, 'epaper'],
    look: (kind) => (kind === 'epaper' ? epaper() : parts.look(kind)),
  };
}

/** Measures how late the event loop is. Without a loop there would be no answer at all. */
function probeApi(clock: Clock): Promise<Finding> {
  const from = clock.now();
  return new Promise((resolve) => {
    clock.after(1, () => resolve(clock.now() - from > slowTimerMs ? degraded(reasonOf('busy')) : fine));
  });
}

async function probeGateway({ broker }: ProbeDeps): Promise<Finding> {
  const load = broker()?.load();
  if (load === undefined) return down(reasonOf('frames-not-heard'));
  return load.waiting >= manyMessages ? degraded(reasonOf('messages-wait')) : fine;
}

async function probeMqtt({ broker, mqttHost, clock }: ProbeDeps): Promise<Finding> {
  const ports = broker()?.ports;
  if (ports === undefined) return down(reasonOf('broker-missing'));
  const validUntil = await shakeHands(mqttHost, ports.tls, probeTimeoutMs).catch(() => undefined);
  if (validUntil === undefined) return down(reasonOf('broker-silent'));
  if (validUntil <= clock.now()) return down(reasonOf('broker-certificate-ended'));
  return validUntil - clock.now() < certificateEndsSoonMs ? degraded(reasonOf('broker-certificate-ending')) : fine;
}

/**
 * Checks a transaction that would write, and room for what it would write. A lock of another process is reported, not
 * waited for (T-68).
 */
function probeDatabase({ db, clock, freeBytes }: ProbeDeps): Probe {
  let lockedSince: number | undefined;
  return async () => {
    const from = clock.now();
    let trouble = reasonOf('database-refuses');
    const answers = await beginAndRun(db, async (trx) => trx.raw('select 1')).catch((error: unknown) => {
      trouble = reasonOfTrouble(error) ?? trouble;
      return isLocked(error) ? 'locked' : undefined;
    });
    if (answers === undefined) return down(trouble);
    if (answers === 'locked') {
      lockedSince ??= from;
      const reason = reasonOf('database-locked');
      return from - lockedSince < maxLockedMs ? degraded(reason) : down(reason);
    }
    lockedSince = undefined;
    const slow: Finding = clock.now() - from > slowDatabaseMs ? degraded(reasonOf('database-slow')) : fine;
    const free = await freeBytes();
    if (free < noBytes) return down(reasonOf('disk-full'));
    return worst([slow, free < littleBytes ? degraded(reasonOf('disk-nearly-full')) : fine]);
  };
}

/** The note names the barrier that surrounds pages besides the filtering proxy (FACT-09). */
const networkNotes = {
  own: reasonOf('browser-network-own'),
  shared: reasonOf('browser-network-shared'),
} as const;

async function probeRendering({ rendering, findBrowser }: ProbeDeps): Promise<Finding> {
  const { browser, network, waiting } = rendering();
  if (browser === 'running') {
    const found = waiting >= manyRenders ? degraded(reasonOf('pages-wait')) : fine;
    return network === 'none' ? found : { ...found, note: networkNotes[network] };
  }
  const found: Finding =
    browser === 'resting'
      ? { status: 'ok', note: reasonOf('browser-rests') }
      : degraded(reasonOf('browser-not-running'));
  return findBrowser().then(
    () => found,
    () => down(reasonOf('browser-not-found')),
  );
}

async function probeCallbacks({ db, clock }: ProbeDeps): Promise<Finding> {
  const now = clock.now();
  const waiting = () => db('callback_events').whereNotNull('due_at');
  const stuck = await waiting()
    .where('due_at', '<', now - stuckCallbackMs)
    .first('id');
  if (stuck !== undefined) return down(reasonOf('callbacks-stuck'));
  const late = await waiting()
    .where('created_at', '<', now - lateCallbackMs)
    .first('id');
  const many = (await waiting().limit(manyCallbacks).select('id')).length === manyCallbacks;
  return worst([
    late === undefined ? fine : degraded(reasonOf('callback-late')),
    many ? degraded(reasonOf('callbacks-many')) : fine,
  ]);
}

const degraded = (reason: Reason): Finding => ({ status: 'degraded', reasons: [reason] });
const down = (reason: Reason): Finding => ({ status: 'down', reasons: [reason] });
