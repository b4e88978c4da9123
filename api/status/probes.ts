/** The probes behind `/iotdevice/status`. Each checks the part itself, not a note about it. */
import type { FrameBroker } from '../../gateway/broker/broker.ts';
import { shakeHands } from '../../gateway/broker/shake-hands.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database.ts';
import { beginAndRun, isLocked, maxLockedMs } from '../../runtime/database-lock.ts';
import type { PoolStatus } from '../rendering/browser-pool.ts';
import { type Finding, fine, type Health, type Probe, probeTimeoutMs, watchHealth, worst } from './health.ts';

/** The dependencies of the probes. */
export interface ProbeDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly broker: () => Pick<FrameBroker, 'load' | 'ports'> | undefined;
  readonly mqttHost: string;
  readonly rendering: () => PoolStatus;
  /** Rejects when there is no browser to start. */
  readonly findBrowser: () => Promise<unknown>;
  /** Returns the free bytes of the disk that the data folder is on. */
  readonly freeBytes: () => Promise<number>;
}

const slowTimerMs = 500;
const slowDatabaseMs = 1_000;
const littleBytes = 200 * 1024 * 1024;
const noBytes = 20 * 1024 * 1024;
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
      api: () => probeApi(deps.clock),
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
    clock.after(1, () => resolve(clock.now() - from > slowTimerMs ? degraded('it is busy and answers late') : fine));
  });
}

async function probeGateway({ broker }: ProbeDeps): Promise<Finding> {
  const load = broker()?.load();
  if (load === undefined) return down('it does not listen for frames');
  return load.waiting >= manyMessages ? degraded('messages of frames wait to be recorded') : fine;
}

async function probeMqtt({ broker, mqttHost, clock }: ProbeDeps): Promise<Finding> {
  const ports = broker()?.ports;
  if (ports === undefined) return down('no broker is running');
  const validUntil = await shakeHands(mqttHost, ports.tls, probeTimeoutMs).catch(() => undefined);
  if (validUntil === undefined) return down('the broker does not answer');
  if (validUntil <= clock.now()) return down('the certificate of the broker has expired');
  return validUntil - clock.now() < certificateEndsSoonMs ? degraded('the certificate of the broker ends soon') : fine;
}

/**
 * Checks a transaction that would write, and room for what it would write. A lock of another process is reported, not
 * waited for (T-68).
 */
function probeDatabase({ db, clock, freeBytes }: ProbeDeps): Probe {
  let lockedSince: number | undefined;
  return async () => {
    const from = clock.now();
    const answers = await beginAndRun(db, async (trx) => trx.raw('select 1')).catch((error: unknown) =>
      isLocked(error) ? 'locked' : undefined,
    );
    if (answers === undefined) return down('the database takes no transaction');
    if (answers === 'locked') {
      lockedSince ??= from;
      const reason = 'another process holds the lock on the database';
      return from - lockedSince < maxLockedMs ? degraded(reason) : down(reason);
    }
    lockedSince = undefined;
    const slow: Finding = clock.now() - from > slowDatabaseMs ? degraded('the database answers slowly') : fine;
    const free = await freeBytes();
    if (free < noBytes) return down('the disk of the data folder is full');
    return worst([slow, free < littleBytes ? degraded('the disk of the data folder is nearly full') : fine]);
  };
}

/** The note tells which barrier surrounds pages beside the filtering proxy (FACT-09). */
const networkNotes = {
  own: 'the browser has a network of its own, without routes',
  shared: 'the browser is in the network of the service, behind the filtering proxy alone',
} as const;

async function probeRendering({ rendering, findBrowser }: ProbeDeps): Promise<Finding> {
  const { browser, network, waiting } = rendering();
  if (browser === 'running') {
    const found = waiting >= manyRenders ? degraded('pages wait to be rendered') : fine;
    return network === 'none' ? found : { ...found, note: networkNotes[network] };
  }
  return findBrowser().then(
    () => degraded('the browser is not running; the next page starts it'),
    () => down('no browser was found'),
  );
}

async function probeCallbacks({ db, clock }: ProbeDeps): Promise<Finding> {
  const now = clock.now();
  const waiting = () => db('callback_events').whereNotNull('due_at');
  const stuck = await waiting()
    .where('due_at', '<', now - stuckCallbackMs)
    .first('id');
  if (stuck !== undefined) return down('nobody sends the callbacks that are due');
  const late = await waiting()
    .where('created_at', '<', now - lateCallbackMs)
    .first('id');
  const many = (await waiting().limit(manyCallbacks).select('id')).length === manyCallbacks;
  return worst([
    late === undefined ? fine : degraded('a callback could not be delivered for an hour'),
    many ? degraded('callbacks pile up') : fine,
  ]);
}

const degraded = (reason: string): Finding => ({ status: 'degraded', reason });
const down = (reason: string): Finding => ({ status: 'down', reason });
