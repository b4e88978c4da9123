/** The sentences for signing in, and for letting a browser or another person in. */
export const signInSentences = {
  'sign-in-link-used': 'This link was already used; each works once',
  'sign-in-link-ended': 'This link has expired',
  'sign-in-link-unknown': 'This link is no longer valid: it was withdrawn, or a newer one took its place',
  'sign-in-link-elsewhere': 'This link works only in the browser that asked for it',
  'sign-in-link-anew': 'ask an administrator of the organization for a new one',
  'mail-link-anew': 'ask for a link in this browser',
  'not-joined': 'This person has not joined yet: they come in by their invitation',
  'no-sign-in-mail': 'This service sends no email',
  'mail-link-leads-nowhere':
    'a link in an email would lead to {address}, which only the service’s own machine can reach: its operator has to set PAPERGATE_HOST to the name or address of that machine',
  'opens-one-organization': 'You signed in with a link that is for one organization only: sign in another way for this',
  'passkey-needs-name':
    'Passkeys do not work at this address, because it is a number: they need an address with a name',
  'passkey-needs-session': 'A passkey is made in a session of the console',
  'passkey-not-taken': 'The passkey was not made: start again',
  'passkey-not-proved': 'The passkey could not be verified: start again',
  'passkey-unknown': 'This passkey is not known here: it was removed, or belongs to another address',
  'passkey-copied':
    'There may be a copy of this passkey, because it counts fewer uses than before: it is blocked from now on',
  'passkey-blocked': 'This passkey is blocked, because there may be a copy of it',
  'passkey-blocked-remedy': 'sign in another way, remove it, and add a new one',
  'many-passkeys': 'An account has at most {#most} passkeys',
  'pairing-needs-session': 'Sign in here first, then let your other device in',
  'pairing-taken': 'This code was already opened, on this device or another one',
  'pairing-ended': 'This code has expired: it was not confirmed, or took longer than two minutes',
  'pairing-anew': 'show a new code on the device that is signed in',
} as const;
