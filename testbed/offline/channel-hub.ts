/**
 * The channel between simulated nodes: it loses, duplicates, delays and reorders their messages, and breaks for a
 * while.
 */
import type { NodeChannel } from '../../cluster/nodes/node-channel.ts';
import type { Chance } from './machine/chance.ts';
import type { SimulatedProcess } from './machine/process.ts';
import type { VirtualTime } from './machine/virtual-time.ts';
import type { NodeFaults } from './node-faults.ts';

type ChannelReceiver = Parameters<NodeChannel['open']>[0];

/** The end of one node. */
interface End {
  readonly process: SimulatedProcess;
  readonly id: string;
  hearing: ChannelReceiver | undefined;
  /** The moment at which the last text that is not late arrives at each other node. */
  readonly said: Map<End, number>;
  /** True while its connection to the others is broken. */
  isBroken: boolean;
}

/** How long texts are gathered: what a process sends right before its death is lost. */
const gatherMs = 20;
/** The longest time of a text that does not come late. */
const promptMs = 30;

interface HubDeps {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly nodeFaults: () => NodeFaults;
}

/** The channel of all nodes. */
export class ChannelHub {
  readonly #deps: HubDeps;
  readonly #ends = new Set<End>();
  #brokenAt = Number.NEGATIVE_INFINITY;
  #lostAt = Number.NEGATIVE_INFINITY;
  #lateUntil = Number.NEGATIVE_INFINITY;

  constructor(deps: HubDeps) {
    this.#deps = deps;
  }

  /** Makes the end of a process that has this id. */
  channel(process: SimulatedProcess, id: string): NodeChannel {
    const end: End = { process, id, hearing: undefined, said: new Map(), isBroken: false };
    this.#ends.add(end);
    return {
      node: id,
      post: (to, text) => this.#post(end, to, text),
      receivedAt: () => undefined,
      open(hearing) {
        end.hearing = hearing;
      },
      close() {
        end.hearing = undefined;
      },
    };
  }

  /** Breaks the connection of a process: nothing gets in or out. */
  break(process: SimulatedProcess): void {
    const end = this.#endOf(process);
    if (end !== undefined) end.isBroken = true;
  }

  /** Restores it; the node is notified that it may have missed something. */
  mend(process: SimulatedProcess): void {
    const end = this.#endOf(process);
    if (end?.isBroken !== true) return;
    end.isBroken = false;
    this.#brokenAt = this.#deps.time.now();
    process.run(() => process.dead || end.hearing?.reconnected());
  }

  isBroken(process: SimulatedProcess): boolean {
    return this.#endOf(process)?.isBroken === true;
  }

  /** The last moment at which somebody was cut off from the others. */
  get brokenAt(): number {
    const isBroken = [...this.#ends].some((end) => end.isBroken && !end.process.dead);
    return isBroken ? this.#deps.time.now() : this.#brokenAt;
  }

  /** The moment at which a text was last lost while nobody was cut off. */
  get lostAt(): number {
    return this.#lostAt;
  }

  /** The moment at which the last of the late texts arrives; it may lie ahead. */
  get lateUntil(): number {
    return this.#lateUntil;
  }

  #endOf(process: SimulatedProcess): End | undefined {
    return [...this.#ends].find((end) => end.process === process);
  }

  #post(from: End, to: string | undefined, text: string): void {
    if (from.process.dead) return;
    for (const other of this.#ends) {
      const isFor = other !== from && !other.process.dead && (to === undefined || other.id === to);
      if (isFor) this.#send(from, other, text);
    }
  }

  #send(from: End, to: End, text: string): void {
    const { time, chance, nodeFaults } = this.#deps;
    const { messageLost, messageTwice, messageLate, messageLateMs } = nodeFaults();
    if (chance.happens(messageLost, 'text is lost')) {
      this.#lostAt = time.now();
      return;
    }
    for (let copies = chance.happens(messageTwice, 'text comes twice') ? 2 : 1; copies > 0; copies--) {
      if (chance.happens(messageLate, 'text comes late'))
        this.#sendLate(from, to, text, chance.whole(1, messageLateMs));
      else {
        // Texts that are not late arrive in order, as PostgreSQL's notifications of one connection do.
        const at = Math.max((from.said.get(to) ?? 0) + 1, time.now() + gatherMs + chance.whole(1, promptMs));
        from.said.set(to, at);
        time.after(at - time.now(), () => deliver(from, to, text));
      }
    }
  }

  #sendLate(from: End, to: End, text: string, lateMs: number): void {
    const { time } = this.#deps;
    const comesMs = gatherMs + lateMs;
    this.#lateUntil = Math.max(this.#lateUntil, time.now() + comesMs);
    time.after(comesMs, () => deliver(from, to, text));
  }
}

function deliver(from: End, to: End, text: string): void {
  if (from.process.dead || from.isBroken || to.isBroken) return;
  to.process.run(() => {
    if (!to.process.dead) to.hearing?.receive(from.id, text);
  });
}
