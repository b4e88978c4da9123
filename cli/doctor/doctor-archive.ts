/** Examines for `papergate doctor` up to when everything is in the second place of the archive. */
import type { ArchiveSettings } from '../../api/service/settings/archive-settings.ts';
import { readLeaseName } from '../../runtime/archive/archive-names.ts';
import { carefulPlace } from '../../runtime/archive/archive-place.ts';
import { isoTime, systemClock } from '../../runtime/clock.ts';
import { openArchivePlace } from '../backup/archive-of-service.ts';
import type { Diagnosis } from './doctor-certificates.ts';

const name = 'archive';
/** A lease is renewed every half minute, and tells how far the archive was then. */
const lateMs = 120_000;

/** Says how far the archive is; nothing without one. */
export async function judgeArchive(
  env: Readonly<Record<string, string | undefined>>,
  now: number,
): Promise<readonly Diagnosis[]> {
  const address = env.PAPERGATE_ARCHIVE;
  if (!address) return [];
  const settings: Omit<ArchiveSettings, 'PAPERGATE_ARCHIVE'> = {
    PAPERGATE_ARCHIVE_ACCESS_KEY_ID: env.PAPERGATE_ARCHIVE_ACCESS_KEY_ID,
    PAPERGATE_ARCHIVE_SECRET_ACCESS_KEY: env.PAPERGATE_ARCHIVE_SECRET_ACCESS_KEY,
    PAPERGATE_ARCHIVE_REGION: env.PAPERGATE_ARCHIVE_REGION || 'us-east-1',
  };
  try {
    const names = await carefulPlace(openArchivePlace(address, settings), systemClock).list('leases/');
    const until = names.map(readLeaseName).at(-1)?.until ?? 0;
    if (until === 0) {
      const hint =
        'start the service with PAPERGATE_ARCHIVE, and wait until its first copy is whole; its log says why not';
      return [{ name, result: 'warn', message: 'nothing can be restored from the archive yet', hint }];
    }
    const message = `everything until ${isoTime(until)} is in the second place`;
    if (now - until <= lateMs) return [{ name, result: 'ok', message }];
    return [{ name, result: 'warn', message, hint: 'does the service run? its log says why archiving waits' }];
  } catch (error) {
    const { message, hint } = error as Error & { readonly hint?: string };
    return [{ name, result: 'fail', message, hint: hint ?? 'correct PAPERGATE_ARCHIVE' }];
  }
}
