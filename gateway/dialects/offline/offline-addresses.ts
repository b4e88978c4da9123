/** The addresses that are entered into a frame with the offline firmware. */

/** The path before the serial of a frame. */
export const offlinePrefix = '/offline';

/** The address that a frame asks for its picture. */
export function offlineAddressOf(base: string, serial: string): string {
  return `${base}${offlinePrefix}/${serial}`;
}

/** The address of a frame's settings, which only its secret protects. */
export function settingsAddressOf(base: string, secret: string): string {
  return `${base}${offlinePrefix}/settings/${secret}`;
}
