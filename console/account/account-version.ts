/** When what *Account* shows is read again: at once after an act of this page, and every ten seconds for what happens elsewhere. */
import { signal } from '@preact/signals';
import { sessionsBegun } from '../ground/call-api.ts';
import { now } from '../ground/times.ts';

/** Counts what the person changed here: a passkey that is removed ends sessions. */
export const accountChanges = signal(0);

/** Changes whenever the account is to be read again. */
export const accountVersion = (): string => [sessionsBegun.value, accountChanges.value, now.value].join(' ');
