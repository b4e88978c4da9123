/** Whether this browser can use passkeys at this address, and if not, why. */

/** `address`: browsers want https and a name, or `localhost`; `browser`: it knows no passkeys. */
export type PasskeyTrouble = 'address' | 'browser';

/** Returns what keeps passkeys from working here. */
export function passkeyTrouble(): PasskeyTrouble | undefined {
  const isNumber = /^[\d.]+$|^\[/.test(location.hostname);
  if (!isSecureContext || isNumber) return 'address';
  return 'PublicKeyCredential' in globalThis ? undefined : 'browser';
}
