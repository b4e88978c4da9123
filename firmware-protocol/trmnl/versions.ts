/**
 * The value of the echo of `refresh_rate` as evidence, by firmware version. Read tag by tag in usetrmnl/trmnl-firmware
 * (`src/bl.cpp`, `lib/trmnl/src/refresh_interval.cpp`); docs/polled-frames.md has the whole table.
 */

/** A version as three numbers. */
type Parts = readonly [major: number, minor: number, patch: number];

/** Versions from `from` on, until the next row. */
export interface FirmwareRange {
  readonly from: Parts;
  /**
   * True when the echo comes back although the download failed: it proves that the answer was read. What the service saw
   * leave has to say the rest.
   */
  readonly survivesDownload: boolean;
  /** True when the frame tells what woke it, so that an early wake can be told from a restart. */
  readonly tellsWake: boolean;
  /** True when an error screen stays until the name of the picture changes. */
  readonly keepsErrorScreen: boolean;
  /** True when the frame sends its identity with the download of a picture below its base address. */
  readonly namesItselfAtDownload: boolean;
  /** True when a name that it knows counts as a failure: it stores 5, 10, 30 and then 900 seconds, without a screen. */
  readonly failsUnchanged: boolean;
  /** True when a picture that was begun and torn is kept in flash under its name, and drawn from there. */
  readonly keepsTorn: boolean;
  /** The seconds that it stores at a failure which it does not show: the glass is as it was. */
  readonly quietSeconds: readonly number[];
  /** It shows this failure of the service in a row, and those after it, where the seconds that it stores do not say so. */
  readonly shownFailure?: number;
}

/** Seconds that are stored at the first failures of the service, and those of the newest firmware, which stores one value. */
const quiet = { ladder: [5, 10, 15, 30], fixed: [5, 300] } as const;

const ranges: readonly FirmwareRange[] = [
  { from: [1, 5, 2], survivesDownload: false, ...range({ keepsErrorScreen: true, failsUnchanged: true }) },
  { from: [1, 5, 5], survivesDownload: true, ...range({ keepsErrorScreen: true }) },
  { from: [1, 6, 10], survivesDownload: true, ...range({ keepsErrorScreen: true, namesItselfAtDownload: true }) },
  { from: [1, 7, 8], survivesDownload: true, ...range({ namesItselfAtDownload: true, keepsTorn: true }) },
  { from: [1, 8, 0], survivesDownload: true, ...range({ namesItselfAtDownload: true, tellsWake: true }) },
  {
    from: [1, 8, 2],
    survivesDownload: true,
    ...range({ namesItselfAtDownload: true, tellsWake: true, keepsErrorScreen: true }),
  },
  {
    from: [1, 8, 16],
    survivesDownload: true,
    ...range({ namesItselfAtDownload: true, tellsWake: true, keepsErrorScreen: true, quietSeconds: quiet.fixed }),
    shownFailure: 4,
  },
];

/** The newest version that was read. */
const newest: Parts = [1, 8, 16];

function range(
  given: Partial<Omit<FirmwareRange, 'from' | 'survivesDownload'>>,
): Omit<FirmwareRange, 'from' | 'survivesDownload'> {
  const none = { tellsWake: false, keepsErrorScreen: false, failsUnchanged: false };
  return { ...none, namesItselfAtDownload: false, keepsTorn: false, quietSeconds: quiet.ladder, ...given };
}

/**
 * The behaviour of a firmware. Versions after the last row are taken as that one (W-44): 1.8.15 calls itself 1.8.14 in
 * places, so that the weaker of the two counts for both.
 * @returns undefined for versions before 1.5.2 and for what is not a version: of those nothing is known
 */
export function rangeOfFirmware(version: string | undefined): FirmwareRange | undefined {
  const given = partsOf(version);
  return given && ranges.findLast(({ from }) => compare(from, given) <= 0);
}

/** True for a version that is this one or a later one; false for what is not a version. */
export function isFirmwareFrom(version: string | undefined, from: Parts): boolean {
  const given = partsOf(version);
  return given !== undefined && compare(from, given) <= 0;
}

/** True for a version after the newest that was read: it may store values that no version before it stored (W-44). */
export function isUnreadFirmware(version: string | undefined): boolean {
  const given = partsOf(version);
  return given !== undefined && compare(given, newest) > 0;
}

function partsOf(version: string | undefined): Parts | undefined {
  const parts = /^v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})(?:[-+].*)?$/.exec(version ?? '');
  return parts === null ? undefined : (parts.slice(1).map(Number) as unknown as Parts);
}

function compare(one: Parts, other: Parts): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}
