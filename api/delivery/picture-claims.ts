/**
 * Pictures that one node makes for all: a claim with a lease names the node, and the row keeps the result for the
 * others. The claim's number is a fencing token: the late result of a node that has lost its claim is not written.
 */

import { createHash } from 'node:crypto';
import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { deliveryTables } from '../delivery-state/tables.ts';
import type { LineDeps } from './line-deps.ts';

/** A picture that was not made by then is anybody's again. Rendering ends long before, unless its queue is long. */
const leaseMs = 180_000;
/** The time for which a picture that another node made is used, the same as for renderings at hand. */
const reusedForMs = 10 * 60_000;
/** The age at which rows are no longer of use. */
const forgottenAfterMs = 3_600_000;
/** The time between two looks at what other nodes are making, all in one query. */
const lookMs = 500;

type MadeRow = RowIn<typeof deliveryTables, 'made_pictures'>;

/** The outcome of making a picture, as it can be stored. */
interface Outcome {
  readonly ok: boolean;
}

/** Has a picture made once: here, or elsewhere. */
export interface PictureClaims {
  /**
   * @param name everything that the picture follows from
   * @param isStored asks if what another node made is still there
   */
  once<Made extends Outcome>(
    name: string,
    make: () => Promise<Made>,
    isStored: (made: Made) => Promise<boolean>,
  ): Promise<Made>;
}

type PictureClaimDeps = Pick<LineDeps, 'db' | 'clock' | 'logger' | 'cluster'>;

/** A process that is alone knows what it is making. */
export const unclaimed: PictureClaims = { once: (_name, make) => make() };

/** Opens the claims of one node. */
export function pictureClaims(deps: PictureClaimDeps): PictureClaims {
  const { db, clock, logger } = deps;
  const { id } = deps.cluster;
  if (id === null) return unclaimed;
  const others = othersWork(deps);

  /** Claims a picture that nobody makes, and that was not made lately; returns the number of the claim. */
  async function claim(key: string): Promise<number | undefined> {
    const now = clock.now();
    const fresh = { claimed_by: id, claimed_until: now + leaseMs, outcome: null, failed: 0, changed_at: now };
    const claimed = await db<MadeRow>('made_pictures')
      .insert({ key, attempt: 1, ...fresh })
      .onConflict('key')
      .merge({ ...fresh, attempt: db.raw('made_pictures.attempt + 1') })
      .whereRaw(
        `(made_pictures.outcome is null and (made_pictures.claimed_by is null or made_pictures.claimed_until <= ?))
         or made_pictures.failed = 1 or made_pictures.changed_at <= ?`,
        [now, now - reusedForMs],
      )
      .returning('attempt');
    return claimed[0]?.attempt;
  }

  /** Writes what became of a claim, if it is still held. */
  async function end(key: string, attempt: number, made: Outcome | undefined): Promise<void> {
    const outcome = made === undefined ? null : JSON.stringify(made);
    const ended = { claimed_by: null, outcome, failed: Number(made?.ok === false), changed_at: clock.now() };
    await db<MadeRow>('made_pictures').where({ key, attempt, claimed_by: id }).update(ended);
  }

  async function makeHere<Made extends Outcome>(key: string, attempt: number, make: () => Promise<Made>) {
    let made: Made | undefined;
    try {
      made = await make();
      return made;
    } finally {
      await end(key, attempt, made).catch((error: unknown) =>
        logger.info({ error }, 'other nodes were not notified of a picture; they make it when its claim is over'),
      );
    }
  }

  return {
    async once<Made extends Outcome>(
      name: string,
      make: () => Promise<Made>,
      isStored: (made: Made) => Promise<boolean>,
    ): Promise<Made> {
      const key = createHash('sha256').update(name).digest('hex');
      for (;;) {
        const attempt = await claim(key);
        if (attempt !== undefined) return makeHere(key, attempt, make);
        const outcome = await others.outcome(key);
        if (outcome === undefined) continue;
        const made = JSON.parse(outcome) as Made;
        if (await isStored(made)) return made;
        await db<MadeRow>('made_pictures').where({ key, outcome }).delete();
      }
    },
  };
}

/** Waits for what other nodes make. */
function othersWork({ db, clock, logger }: PictureClaimDeps) {
  const waiting = new Map<string, ((outcome: string | undefined) => void)[]>();

  async function look(): Promise<void> {
    const rows = await db<MadeRow>('made_pictures').whereIn('key', [...waiting.keys()]);
    const found = new Map(rows.map((row) => [row.key, row]));
    for (const [key, ended] of [...waiting]) {
      const row = found.get(key);
      if (row !== undefined && row.outcome === null && row.claimed_by !== null && row.claimed_until > clock.now()) {
        continue;
      }
      waiting.delete(key);
      for (const end of ended) end(row?.outcome ?? undefined);
    }
  }

  function lookLater(delayMs: number): void {
    clock.after(delayMs, () => {
      inBackground(logger, 'look for pictures of other nodes', () =>
        look()
          .catch((error: unknown) => logger.info({ error }, 'what other nodes are making could not be read'))
          .then(() => {
            if (waiting.size > 0) lookLater(lookMs);
          }),
      );
    });
  }

  return {
    /** Resolves with what another node made, or with undefined when nobody makes it. */
    outcome(key: string): Promise<string | undefined> {
      return new Promise((resolve) => {
        if (waiting.size === 0) lookLater(0);
        waiting.set(key, [...(waiting.get(key) ?? []), resolve]);
      });
    },
  };
}

/** Removes the rows of pictures that were made long ago. */
export async function forgetMadePictures(db: Database, now: number): Promise<void> {
  await db('made_pictures')
    .where('changed_at', '<', now - forgottenAfterMs)
    .delete();
}
