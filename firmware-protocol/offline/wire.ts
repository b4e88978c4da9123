/**
 * The wire of the vendor's offline firmware: HTTP Basic, the header that tells the sleep, and the settings that a frame
 * reads from an address of its own.
 */

/** The most characters of an address, a user, a password and a validator that the firmware keeps (OF-3). */
export const maxOfflineCharacters = 128;
/** The most characters of a tag with its quotes: the firmware keeps `etag:` before it (OF-4). */
export const maxTagCharacters = 123;

/** The sleeps that the firmware takes from a header, in seconds (OF-10). */
const told = { shortest: 60, longest: 86_400 };

/** The header that tells state C of the firmware how long to sleep, in whole seconds. */
export const offlineSleepHeader = 'x-openpaper-sleep-seconds';

/** The sleep as the header says it: digits alone, from a minute to a day; the firmware ignores anything else. */
export function offlineSleep(seconds: number): string {
  return String(Math.min(told.longest, Math.max(told.shortest, Math.ceil(seconds))));
}

/** Reads the header as the firmware does. @returns undefined for what it ignores */
export function readOfflineSleep(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,9}$/.test(text)) return undefined;
  const seconds = Number(text);
  return seconds >= told.shortest && seconds <= told.longest ? seconds : undefined;
}

/** User and password of `Authorization: Basic`; undefined where there are none. */
export function readBasic(
  header: string | undefined,
): { readonly user: string; readonly password: string } | undefined {
  const [, coded] = /^basic +([A-Za-z0-9+/=]{1,512}) *$/i.exec(header ?? '') ?? [];
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(coded ?? '', 'base64').toString()) ?? [];
  return user === undefined || password === undefined ? undefined : { user, password };
}

/** The value of `Authorization` that the firmware sends at once on both of its calls (OF-3). */
export function basicOf(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** The time of `Last-Modified` for the version of a picture: each version has another one, and a later one a later one. */
export function modifiedOf(version: number): string {
  return new Date(version * 1000).toUTCString();
}

/** The settings that a frame reads before it asks for its picture (OF-16). The password is never among them. */
export interface OfflineSettings {
  /** Its sleep where no answer tells it another, in seconds. */
  readonly timeout: number;
  readonly downloadUrl: string;
  readonly httpAuthUser: string;
}

/**
 * The sleep of the firmware after a wake that failed, in seconds: state C comes back soon, A and B as always (OF-11).
 * @param usual the sleep that was set over Bluetooth or in the settings
 */
export function sleepAfterFailure(state: 'A' | 'B' | 'C', usual: number): number {
  return state === 'C' ? Math.min(300, Math.max(60, usual)) : usual;
}

/** The longest that a frame stays awake, in milliseconds: then it sleeps an hour, whatever it does (OF-13). */
export const offlineAwakeMs = 180_000;
/** The sleep of a frame whose battery is below 4.0 V, without having asked, in seconds (OF-13). */
export const flatSleepSeconds = 86_000;
