/** Deadlines with their real neighbours: the delivery line, native frames and channels, under a clock that the test moves. */
import { channelStore } from '../../api/alerts/channels.ts';
import type { AlertMessage } from '../../api/alerts/word-message.ts';
import type {
  DeadlineEventKind,
  DeadlineEventRow,
  DeadlineNoticeRow,
  DeadlineRow,
  OccurrenceRow,
} from '../../api/deadlines/deadline-rows.ts';
import { type DeadlineChoice, makeDeadline } from '../../api/deadlines/deadline-store.ts';
import { type DeadlineDrainDeps, drainDeadlineNotices } from '../../api/deadlines/drain-deadline-notices.ts';
import type { DeadlineWatchDeps } from '../../api/deadlines/look-at-deadlines.ts';
import { defaultSteps } from '../../api/deadlines/steps.ts';
import { type DeadlineWatch, watchDeadlines } from '../../api/deadlines/watch-deadlines.ts';
import { alone } from '../../cluster/alone.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { hourMs, minuteMs } from '../alerts/alert-world.ts';
import { type LineWorld, withLine } from '../delivery/delivery-world.ts';

/** A message as it was sent. */
interface SentMessage {
  readonly to: string;
  readonly at: number;
  readonly message: AlertMessage;
}

export interface DeadlineWorld extends LineWorld {
  readonly watch: DeadlineWatch;
  readonly watchDeps: DeadlineWatchDeps;
  /** Another node over the same database: its watch, which sweeps as long as that is its task. */
  otherNode(single: DeadlineWatchDeps['single']): DeadlineWatch;
  readonly sent: SentMessage[];
  /** How the next messages end; `true` for one that arrives. */
  readonly mail: { arrives: boolean };
  /** Makes a deadline for the paper of the world. */
  addDeadline(choice: Partial<DeadlineChoice>): Promise<DeadlineRow>;
  addChannel(choice?: { readonly quiet?: readonly [string, string] }): Promise<string>;
  /** The frame falls asleep until then, as its dialect would write it. */
  sleeps(serial: string, until: number): Promise<void>;
  /** Lets time pass in steps, and the watch work after each. */
  passes(ms: number, stepMs?: number): Promise<void>;
  works(): Promise<void>;
  occurrences(): Promise<OccurrenceRow[]>;
  /** The events of all occurrences in their order. */
  events(): Promise<DeadlineEventKind[] & { readonly rows?: DeadlineEventRow[] }>;
  notices(): Promise<DeadlineNoticeRow[]>;
}

/** Opens the world, runs the test, and closes it. */
export async function withDeadlines(run: (world: DeadlineWorld) => Promise<void>): Promise<void> {
  await withLine(async (line) => {
    const world = build(line);
    world.watch.start();
    await world.works();
    try {
      await run(world);
    } finally {
      await world.watch.stop();
    }
  });
}

/** The deadline of a paper by a time, with the steps that one has by itself. */
export const usualChoice = (paperId: string, by: DeadlineChoice['by']): DeadlineChoice => ({
  name: '',
  paperId,
  timedId: null,
  entryId: null,
  revision: null,
  devices: null,
  places: null,
  by,
  timeZone: 'Europe/Berlin',
  freshMinutes: null,
  grade: 'reported',
  steps: defaultSteps,
  language: 'en',
});

function build(line: LineWorld): DeadlineWorld {
  const { db, clock, random, gateway } = line;
  const sent: SentMessage[] = [];
  const mail = { arrives: true };
  const outcome = () =>
    mail.arrives
      ? ({ ok: true, answer: { code: 'receiver-took-it', params: { status: 200 } } } as const)
      : ({ ok: false, problem: { code: 'receiver-not-taken', params: { status: 500 } } } as const);
  // A look that fails is a failure of the test.
  const failed: unknown[] = [];
  const logger = { ...silentLogger, error: (fields: object) => void failed.push(fields) };
  const deps = { db, clock, random, logger };
  const send = async (to: string, message: AlertMessage) => {
    if (mail.arrives) sent.push({ to, at: clock.now(), message });
    return outcome();
  };
  const drainDeps: DeadlineDrainDeps = {
    ...deps,
    send: (channel, message) => send(channel.id, message),
    sendMail: send,
    publicUrl: () => 'https://papers.example',
  };
  const watchDeps: DeadlineWatchDeps = {
    ...deps,
    traitsOf: gateway.traitsOf,
    single: alone.single,
    drain: drainDeadlineNotices(drainDeps),
    assigned: () => line.line.nudge({ assignments: true }),
  };
  const watch = watchDeadlines(watchDeps);
  const works = async (): Promise<void> => {
    await line.line.idle();
    watch.nudge();
    await watch.idle();
    if (failed.length > 0) throw (failed[0] as { error: unknown }).error;
  };
  return {
    ...line,
    watch,
    watchDeps,
    otherNode: (single) => watchDeadlines({ ...watchDeps, single, drain: drainDeadlineNotices(drainDeps) }),
    sent,
    mail,
    works,
    async addDeadline(choice) {
      const whole = { ...usualChoice(line.paperId, clock.now() + hourMs), ...choice };
      const made = { organizationId: line.organizationId, author: 'Ada', choice: whole };
      const row = await alone.single.transact(db, (trx) => makeDeadline(trx, made, { now: clock.now(), random }));
      await watch.look(row.id);
      await works();
      return row;
    },
    async addChannel({ quiet } = {}) {
      const id = random.id();
      const own = { clock, random, sealKey: Buffer.alloc(32, 3) };
      const times = { quiet_from: quiet?.[0] ?? null, quiet_until: quiet?.[1] ?? null, time_zone: 'Europe/Berlin' };
      const usual = { is_on: 1, kinds: null, places: null, digest: 'immediately', language: 'en' } as const;
      const choice = { ...usual, ...times, kind: 'webhook', name: 'Desk', hourly_limit: 12 } as const;
      const target = { url: 'https://hooks.example' };
      await channelStore(db).insert(own, { id, organizationId: line.organizationId }, { ...choice, target }, undefined);
      return id;
    },
    async sleeps(serial, until) {
      await db('frames').where({ serial }).update({ asleep_until: until, updated_at: clock.now() });
      watch.nudge({ reported: serial });
      await watch.idle();
    },
    async passes(ms, stepMs = minuteMs) {
      for (let passed = 0; passed < ms; passed += stepMs) {
        clock.passes(Math.min(stepMs, ms - passed));
        await watch.idle();
      }
    },
    occurrences: () => db<OccurrenceRow>('deadline_occurrences').orderBy(['by_at', 'id']),
    async events() {
      const rows = await db<DeadlineEventRow>('deadline_events').orderBy(['at', 'id']);
      return rows.map(({ kind }) => kind);
    },
    notices: () => db<DeadlineNoticeRow>('deadline_notices').orderBy('id'),
  };
}
