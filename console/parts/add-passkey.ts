/** Adding a passkey: the browser asks the person's device, which makes one for this address. */
import { callApi } from '../ground/call-api.ts';
import { browserWords } from './browser-words.ts';

/** How adding one ended; `left`: the person closed the window of the browser; `there`: the device has one already. */
export type AddedPasskey = 'added' | 'left' | 'there';

/**
 * Adds a passkey, named by this browser and its system.
 * @throws Problem where the service does not take it
 */
export async function addPasskey(): Promise<AddedPasskey> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const optionsJSON = await callApi('POST /passkeys/challenge');
  try {
    const response = await startRegistration({ optionsJSON: optionsJSON as never });
    const name = browserWords(navigator.userAgent).slice(0, 80);
    await callApi('POST /passkeys/', { body: { name, response } });
    return 'added';
  } catch (error) {
    if (error instanceof Error && error.name === 'NotAllowedError') return 'left';
    if (error instanceof Error && error.name === 'InvalidStateError') return 'there';
    throw error;
  }
}
