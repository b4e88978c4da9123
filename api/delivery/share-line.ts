/**
 * The line among several nodes. A node handles the changes made through it; one node sweeps for all of them, and
 * notifies the others when there is more work than it does by itself. Any node that sees the claims of a dead one gives
 * them back.
 */
import { createHash } from 'node:crypto';
import type { Timer } from '../../runtime/clock.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { DuePicture } from '../delivery-state/due-pictures.ts';
import type { LineDeps } from './line-deps.ts';
import type { Changed } from './pass-loop.ts';
import { giveBackClaims, weighAnew } from './take-over.ts';

/** The topic on which nodes notify each other that there is work. */
const topic = 'l';
/** Time between two looks for what dead nodes have claimed. */
const takeOverMs = 3_000;
/** Time after which a picture that is left to another node is made here after all. */
const patienceMs = 3_000;

/** The line's share of the work, while it runs. */
export interface SharedLine {
  /** True when this node sweeps for all of them, as it does where it is alone. */
  sweepsHere(): boolean;
  /** True for a picture that another node is to make, as long as it does so soon. */
  isLeft(due: DuePicture): boolean;
  /** Asks the other nodes to look, if there is something for them. */
  tell(isFull: boolean): void;
  start(): void;
  stop(): Promise<void>;
}

/** Opens the share of one node. `nudge` has its line look. */
export function shareLine(deps: LineDeps, nudge: (changed?: Changed) => void): SharedLine {
  const { cluster } = deps;
  const others = cluster.channel(topic);
  const taking = takeOverRegularly(deps, nudge);
  const left = picturesLeft(deps, () => nudge({ shared: true }));
  const look = (): void => nudge({ shared: true });
  cluster.single.whenOurs(() => {
    nudge({ assignments: true });
    taking.now();
  });
  return {
    sweepsHere: cluster.single.isOurs,
    isLeft: left.isLeft,
    tell(isFull) {
      if (left.takeNew() || isFull) others.post(undefined, 'look');
    },
    start() {
      const heard = (): boolean => {
        look();
        return true;
      };
      others.open({ receive: heard, reconnected: look });
      taking.start();
    },
    async stop() {
      others.close();
      await taking.stop();
    },
  };
}

/** Pictures that change by themselves are spread over the nodes by their papers: nobody waits for them. */
function picturesLeft({ cluster, clock }: Pick<LineDeps, 'cluster' | 'clock'>, again: () => void) {
  /** Devices whose picture is left to another node, with the time at which it was first due here. */
  const since = new Map<string, number>();
  let isNew = false;
  let isWaiting = false;

  function lookAgain(): void {
    if (isWaiting) return;
    isWaiting = true;
    clock.after(patienceMs, () => {
      isWaiting = false;
      again();
    });
  }

  return {
    isLeft({ byItself, paper_id, device_id }: DuePicture): boolean {
      const owner = byItself ? ownerOf(paper_id, cluster.living()) : cluster.id;
      if (owner === undefined || owner === cluster.id) return false;
      const now = clock.now();
      for (const [device, at] of since) if (now - at > 2 * patienceMs) since.delete(device);
      const first = since.get(device_id);
      if (first === undefined) {
        since.set(device_id, now);
        isNew = true;
      }
      const isLeft = now - (first ?? now) < patienceMs;
      if (isLeft) lookAgain();
      return isLeft;
    },
    takeNew(): boolean {
      const was = isNew;
      isNew = false;
      return was;
    },
  };
}

/** Chooses a node for a paper, so that all nodes choose the same one and few papers move when one comes or goes. */
function ownerOf(paperId: string, nodes: readonly string[]): string | undefined {
  const weigh = (node: string): string => createHash('sha256').update(`${paperId} ${node}`).digest('hex');
  return nodes.toSorted((one, other) => (weigh(one) < weigh(other) ? -1 : 1))[0];
}

/**
 * Looks regularly for what nodes that are gone have left behind, while this node does the single tasks or can tell who
 * is dead.
 */
function takeOverRegularly(deps: LineDeps, nudge: (changed?: Changed) => void) {
  const { cluster, clock, logger } = deps;
  let known = new Set<string>();
  let timer: Timer | undefined;
  let taking: Promise<void> = Promise.resolve();
  let isRunning = false;

  async function take(): Promise<void> {
    const living = cluster.living();
    for (const id of living) known.add(id);
    // Anyone who has the single tasks may be new, and believe nobody to be dead yet; giving back twice does no harm.
    if (!cluster.single.isOurs() && !cluster.isSteady()) return;
    const isOneGone = [...known].some((id) => !living.includes(id));
    if (isOneGone) await weighAnew(deps);
    const given = await giveBackClaims(deps);
    known = new Set(living);
    if (isOneGone || given > 0) nudge({ assignments: true });
  }

  function keepTaking(): void {
    timer?.cancel();
    taking = take()
      .catch((error: unknown) => logger.info({ error }, 'what other nodes left could not be looked for'))
      .then(() => {
        if (isRunning) timer = clock.after(takeOverMs, keepTaking);
      });
  }

  return {
    start(): void {
      // A process that is alone has nobody to take over from.
      isRunning = cluster.id !== null;
      if (isRunning) keepTaking();
    },
    /** Looks at once: the node that did so until now may be the one that is gone. */
    now(): void {
      if (isRunning) inBackground(logger, 'look for what other nodes left', () => taking.then(keepTaking));
    },
    async stop(): Promise<void> {
      isRunning = false;
      timer?.cancel();
      await taking;
    },
  };
}
