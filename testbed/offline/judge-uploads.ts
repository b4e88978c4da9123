/**
 * Checks of the promises about the upload log: versions only grow, files exist, and a download counts when a frame took
 * every byte.
 */
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { JudgeDeps } from './judge-requests.ts';
import type { Change, Commit } from './machine/commit-log.ts';

/** Opens the check, which remembers the largest version that each frame was ever given. */
export function uploadJudge({ checker, hasPicture, tookWhole }: JudgeDeps): (commit: Commit) => void {
  const largest = new Map<string, number>();

  function judgeVersion({ before, after }: Change<UploadRow>): void {
    if (after === undefined || before?.file_version === after.file_version) return;
    const { serial, file_version: version } = after;
    const past = largest.get(serial) ?? 0;
    checker.holds(version > past, 'INV-32', () => `${serial} was given version ${version} after ${past}`);
    largest.set(serial, Math.max(past, version));
    checker.holds(hasPicture(after.picture_sha256), 'INV-03', () => `the picture of upload ${after.id} is not stored`);
  }

  /**
   * Checks that a new path has a larger version: a frame fetches nothing again under a version that it marked as stored
   * (W-12).
   */
  function judgeAgain({ before, after }: Change<UploadRow>): void {
    if (before === undefined || after === undefined || before.path === after.path) return;
    const isNewer = after.file_version > before.file_version;
    checker.holds(isNewer, 'INV-32', () => `${after.serial} is offered version ${after.file_version} a second time`);
  }

  return (commit) => {
    for (const change of commit.uploads) {
      const { before, after } = change;
      // A showing that is kept in a row of its own is offered to nobody.
      if ((after ?? before)?.showing_of !== null) continue;
      judgeVersion(change);
      judgeAgain(change);
      if (after === undefined) continue;
      const isNewlyFetched = after.fetched_at !== null && before?.fetched_at !== after.fetched_at;
      checker.holds(
        !isNewlyFetched || tookWhole(after),
        'W-13',
        () => `upload ${after.id} counts as fetched, but no frame took it all`,
      );
      const others = commit.all('select id from uploads where serial = ? and replaced_at is null', after.serial);
      checker.holds(others.length <= 1, 'INV-39', () => `${after.serial} has two offers at once`);
    }
  };
}
