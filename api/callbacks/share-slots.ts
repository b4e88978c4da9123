/**
 * Divides the slots among connections. A slot is one attempt and one socket: about 100 KB with TLS, so all slots
 * together stay below 100 MB. Pure bookkeeping in memory: a restart begins without knowing which receivers are slow.
 */
import { BoundedMap } from '../../runtime/bounded-map.ts';

/** A pool of slots: its size, and the number that one connection may have. */
interface Pool {
  readonly slots: number;
  readonly ofOne: number;
}

/**
 * Receivers that let attempts wait have a pool of their own, with few slots for retries: however many such connections
 * there are, they take no slots from receivers that answer (INV-62).
 */
const pools = {
  prompt: { slots: 512, ofOne: 128 },
  'slow first': { slots: 256, ofOne: 64 },
  'slow retry': { slots: 64, ofOne: 4 },
} as const satisfies Readonly<Record<string, Pool>>;

type PoolName = keyof typeof pools;

/** An attempt that took longer makes its connection slow, until one of its attempts is quicker. */
const slowMs = 5_000;
/** The number of slow connections that are remembered; beyond it, the one that became slow first is forgotten. */
const maxSlow = 10_000;

/** A taken slot. */
export interface Slot {
  readonly connectionId: string;
  readonly pool: PoolName;
}

/** The slots of one outbox. */
export type Slots = ReturnType<typeof shareSlots>;

/** Makes the slots of one outbox, all free. */
export function shareSlots() {
  const taken: Record<PoolName, Map<string, number>> = {
    prompt: new Map(),
    'slow first': new Map(),
    'slow retry': new Map(),
  };
  const inUse: Record<PoolName, number> = { prompt: 0, 'slow first': 0, 'slow retry': 0 };
  const slow = new BoundedMap<string, true>(maxSlow);

  function poolOf(connectionId: string, isRetry: boolean): PoolName {
    if (!slow.has(connectionId)) return 'prompt';
    return isRetry ? 'slow retry' : 'slow first';
  }

  function change(pool: PoolName, connectionId: string, by: 1 | -1): void {
    inUse[pool] += by;
    const now = (taken[pool].get(connectionId) ?? 0) + by;
    if (now === 0) taken[pool].delete(connectionId);
    else taken[pool].set(connectionId, now);
  }

  /**
   * Takes a slot if there is one. No connection has more slots than are left, so the last ones go to connections that
   * have none.
   */
  function take(connectionId: string, isRetry: boolean): Slot | undefined {
    const pool = poolOf(connectionId, isRetry);
    const { slots, ofOne } = pools[pool];
    if ((taken[pool].get(connectionId) ?? 0) >= Math.min(ofOne, slots - inUse[pool])) return undefined;
    change(pool, connectionId, 1);
    return { connectionId, pool };
  }

  return {
    /** The number of a connection's attempts under way. */
    underWay(connectionId: string): number {
      return Object.values(taken).reduce((sum, of) => sum + (of.get(connectionId) ?? 0), 0);
    },

    take,

    /** Takes so many slots, or as many as there are. */
    takeSome({ connectionId, isRetry }: { connectionId: string; isRetry: boolean }, most: number): Slot[] {
      const taking: Slot[] = [];
      while (taking.length < most) {
        const slot = take(connectionId, isRetry);
        if (slot === undefined) break;
        taking.push(slot);
      }
      return taking;
    },

    /** Gives a slot back. */
    give({ connectionId, pool }: Slot): void {
      change(pool, connectionId, -1);
    },

    /** Records how long an attempt took. */
    took(connectionId: string, ms: number): void {
      if (ms < slowMs) slow.delete(connectionId);
      else slow.set(connectionId, true);
    },
  };
}
