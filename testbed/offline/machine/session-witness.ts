/**
 * A witness of the messages of frames by session: unlike the service, it knows which of two sessions a frame began
 * later.
 */
import type { UploadRow } from '../../../gateway/pictures/upload-row.ts';
import type { Checker } from './checker.ts';
import type { Commit } from './commit-log.ts';
import type { Process } from './disk.ts';

/** A message that a node is recording. */
interface Saying {
  readonly order: number;
  readonly process: Process;
}

/** A connection, with its place among all connections that frames have begun. */
interface Begun {
  readonly order: number;
}

/** A session, which a node opened at this moment: a connection may wait for that longer than a later one. */
interface Opened extends Begun {
  readonly openedAt: number;
}

/** The witness of one run. */
export interface SessionWitness {
  /**
   * Is called when a node begins to record a message.
   * @returns a function for its end, which returns whether the message was recorded
   */
  says(peer: Begun, serial: string, process: Process, opensWake: boolean): (isRecorded: boolean) => void;
  /** Is called when a session begins. */
  begins(peer: Begun, serial: string): void;
  /** Checks that a session which a node was told to end is not the latest one of its frame (INV-80). */
  isEnded(peer: Begun, serial: string): void;
  /** Checks that no commit holds proof that a frame gave in a session which it has followed by another wake (INV-76). */
  committed(commit: Commit): void;
}

interface WitnessDeps {
  readonly checker: Checker;
  readonly now: () => number;
  /** How far the clocks of two nodes may be from each other. */
  readonly clockErrorMs: number;
  /** Returns whether exactly one device has a serial, and does what its firmware does. */
  readonly isHonest: (serial: string) => boolean;
}

/** Opens the witness. */
export function sessionWitness({ checker, now, clockErrorMs, isHonest }: WitnessDeps): SessionWitness {
  const sayings = new Map<string, Set<Saying>>();
  /** The latest session of each frame in which it reported a wake. */
  const woken = new Map<string, number>();
  /** The sessions of each frame, in the order in which nodes opened them. */
  const opened = new Map<string, Opened[]>();
  return {
    says({ order }, serial, process, opensWake) {
      const saying: Saying = { order, process };
      const ofFrame = sayings.get(serial) ?? new Set();
      sayings.set(serial, ofFrame.add(saying));
      return (isRecorded) => {
        ofFrame.delete(saying);
        if (isRecorded && opensWake) woken.set(serial, Math.max(order, woken.get(serial) ?? 0));
      };
    },
    begins({ order }, serial) {
      opened.set(serial, [...(opened.get(serial) ?? []), { order, openedAt: now() }]);
    },
    isEnded({ order }, serial) {
      const sessions = opened.get(serial) ?? [];
      const since = (sessions.find((one) => one.order === order)?.openedAt ?? now()) - clockErrorMs;
      const isLater = (one: Opened): boolean => one.order > order || (one.order < order && one.openedAt >= since);
      const isOver = sessions.some(isLater) || !isHonest(serial);
      checker.holds(isOver, 'INV-80', () => `the latest session of ${serial} was ended for an earlier one`);
    },
    committed({ uploads }) {
      for (const { before, after } of uploads) {
        if (after === undefined || !isProof(before, after) || !isHonest(after.serial)) continue;
        const saying = [...(sayings.get(after.serial) ?? [])].filter(({ process }) => !process.dead);
        const said = Math.max(...saying.map(({ order }) => order));
        checker.holds(
          saying.length === 0 || said >= (woken.get(after.serial) ?? 0),
          'INV-76',
          () => `${after.serial} is believed what it said before its latest wake`,
        );
      }
    },
  };
}

/**
 * Returns whether a commit counts something about an upload as proven. A new one, one that is sent again, and a showing
 * that is kept prove nothing.
 */
function isProof(before: UploadRow | undefined, after: UploadRow): boolean {
  if (after.showing_of !== null) return false;
  const isNew = (column: 'shown_at' | 'confirmed_at'): boolean =>
    after[column] !== null && after[column] !== before?.[column];
  return isNew('shown_at') || isNew('confirmed_at');
}
