/**
 * When the account page reads its data again: at once after an action on this page, and every ten seconds for changes
 * made elsewhere.
 */
import { signal } from '@preact/signals';
import { sessionsBegun } from '../ground/call-api.ts';
import { now } from '../ground/times.ts';

/** Counts what the person changed here: a passkey that is removed ends sessions. */
export const accountChanges = signal(0);

/** Changes whenever the account is to be read again. */
export const accountVersion = (): string => [sessionsBegun.value, accountChanges.value, now.value].join(' ');
