/** Checks what comes back from an archive, against every commit that was seen as it was made (INV-94). */
import type { ArchiveFollower } from './archive-service.ts';
import type { ArchiveStore } from './machine/archive-store.ts';
import type { Commit } from './machine/commit-log.ts';
import type { World } from './world.ts';

export interface ArchiveJudge {
  /** Is called just before the disk is lost. */
  lost(isEarlierAsked: boolean): void;
  /** Is called with the result of SQLite's own check of the rebuilt database. */
  rebuilt(integrity: string): void;
  /**
   * Is called when the rows of a moment are in place.
   * @param at the moment that the archive says they are from
   * @param asked the moment that somebody asked for; the newest when absent
   */
  restored(at: number, asked: number | undefined): void;
  /** Is called at the end of the run. */
  ended(): void;
}

/** A row as a commit left it; undefined once it was removed. */
interface Version {
  readonly at: number;
  readonly row: string | undefined;
}

const rule = 'INV-94';
/** The promise: at most this much accepted work is lost where the place was well and the service ran. */
const promisedMs = 60_000;
/** A second data folder waits for so long until the first is known to have ended, and for its rounds. */
const takenOverMs = 300_000;
const followed = ['requests', 'deliveries', 'events', 'uploads', 'occurrences'] as const;

export function archiveJudge(
  { judge, checker, time, disk, upSince }: World,
  { store, follower }: { readonly store: ArchiveStore; readonly follower: ArchiveFollower },
): ArchiveJudge {
  const history = new Map<string, Version[]>();
  const remember = (key: string, version: Version): void => {
    const versions = history.get(key) ?? [];
    versions.push(version);
    history.set(key, versions);
  };
  for (const [key, row] of rowsOf(judge.rows)) remember(key, { at: Number.NEGATIVE_INFINITY, row });
  let isLost = false;
  judge.watch((commit) => {
    if (isLost) return true;
    for (const [key, row] of changesOf(commit)) remember(key, { at: commit.now, row });
    return false;
  });
  let [lostAt, reported, isPromised] = [0, undefined as number | undefined, false];

  function requireRows(at: number): void {
    const restored = new Map(rowsOf(judge.rows));
    for (const key of new Set([...history.keys(), ...restored.keys()])) {
      const versions = history.get(key) ?? [];
      const before = versions.findLast((version) => version.at < at)?.row;
      const row = restored.get(key);
      const isThat = row === before || versions.some((version) => version.at === at && version.row === row);
      checker.holds(
        isThat,
        rule,
        () => `${key} is not as it was committed at the restored moment: ${row} for ${before}`,
      );
    }
  }

  function requireFiles(): void {
    for (const { id, image_key: image, accepted_at: acceptedAt } of judge.rows.requests.values()) {
      const isThere = image === null || acceptedAt === null || disk.files.has(image);
      checker.holds(isThere, rule, () => `the image of request ${id} did not come back from the archive`);
    }
    for (const { id, picture_sha256: picture } of judge.rows.uploads.values()) {
      checker.holds(
        disk.pictures.has(picture),
        rule,
        () => `the picture of upload ${id} did not come back from the archive`,
      );
    }
  }

  return {
    lost(isEarlierAsked) {
      isLost = true;
      lostAt = time.now();
      reported = isEarlierAsked ? undefined : follower.reported().until;
      const wellMs = lostAt - Math.max(store.wellSince() ?? lostAt, upSince() ?? lostAt);
      isPromised = !isEarlierAsked && wellMs >= promisedMs;
    },
    rebuilt: (integrity) =>
      checker.holds(integrity === 'ok', rule, () => `the rebuilt database is damaged: ${integrity}`),
    restored(at, asked) {
      const lostMs = lostAt - at;
      checker.holds(!isPromised || lostMs <= promisedMs, rule, () => `${lostMs} ms of accepted work were lost`);
      checker.holds(
        at >= (reported ?? at),
        rule,
        () => `${(reported ?? at) - at} ms that were reported as archived are gone`,
      );
      checker.holds(
        at <= (asked ?? lostAt),
        rule,
        () => `rows of ${at - (asked ?? lostAt)} ms after the moment came back`,
      );
      requireRows(at);
      requireFiles();
    },
    ended() {
      const since = Math.max(store.wellSince() ?? time.now(), upSince() ?? time.now());
      if (time.now() - since < takenOverMs) return;
      const behindMs = time.now() - (follower.reported().until ?? 0);
      checker.holds(behindMs <= 2 * promisedMs, rule, () => `the archive ends ${behindMs} ms before the run`);
    },
  };
}

function* rowsOf(rows: World['judge']['rows']): Iterable<readonly [key: string, row: string]> {
  for (const name of followed) for (const [id, row] of rows[name]) yield [`${name} ${id}`, JSON.stringify(row)];
}

function* changesOf(commit: Commit): Iterable<readonly [key: string, row: string | undefined]> {
  for (const name of followed) {
    for (const { before, after } of commit[name]) {
      yield [`${name} ${(after ?? before)?.id}`, after === undefined ? undefined : JSON.stringify(after)];
    }
  }
}
