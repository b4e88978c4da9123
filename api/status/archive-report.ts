/** How far the archive of the service is, as its process knows it: a row about it would be archived in its turn. */
import { z } from 'zod';
import { archiveTroubles } from '../../runtime/archive/archive-place.ts';
import type { ArchiveState } from '../../runtime/archive/archiver.ts';
import { isoTime } from '../../runtime/clock.ts';

/** The place where the archiver reports; undefined where nothing is archived. */
export interface ArchiveReport {
  state: ArchiveState | undefined;
}

export const archiveShape = z
  .object({
    until: z
      .string()
      .nullable()
      .describe('everything up to then can be restored; null while no copy is whole since the start'),
    waitsSince: z.string().nullable().describe('since when it does not go on; null while it does'),
    trouble: z.enum(archiveTroubles).nullable().describe('why it waits; the log of the service has the sentence'),
  })
  .nullable()
  .describe('the archive in a second place; null where the service has none');

export function showArchive(report: ArchiveReport | undefined): z.input<typeof archiveShape> {
  const state = report?.state;
  if (state === undefined) return null;
  const { until, fault } = state;
  return {
    until: until === undefined ? null : isoTime(until),
    waitsSince: fault === undefined ? null : isoTime(fault.since),
    trouble: fault?.trouble ?? null,
  };
}
