/** How many nightly backups a service keeps. */

/** Where nothing is set: enough to notice on the third day that something is wrong. */
export const defaultKeptBackups = 3;

/**
 * Returns how many nightly backups are kept, 0 where none are made. One of several nodes makes none: each would make one
 * of the same rows.
 */
export function keptBackups(settings: {
  readonly PAPERGATE_BACKUP_KEEP?: number | undefined;
  readonly PAPERGATE_NODE_NAME?: string | undefined;
}): number {
  return settings.PAPERGATE_BACKUP_KEEP ?? (settings.PAPERGATE_NODE_NAME === undefined ? defaultKeptBackups : 0);
}
