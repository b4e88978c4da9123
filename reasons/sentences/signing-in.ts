/** What is said where somebody signs in, or lets a browser or another person in. */
export const signInSentences = {
  'sign-in-link-used': 'This link was used already; each works once',
  'sign-in-link-ended': 'This link is too old',
  'sign-in-link-unknown': 'This link is no longer valid: it was withdrawn, or a newer one took its place',
  'sign-in-link-elsewhere': 'This link works only in the browser that asked for it',
  'sign-in-link-anew': 'ask an administrator of the organization for a new one',
  'mail-link-anew': 'ask for a link in this browser',
  'not-joined': 'This person has not joined yet: the invitation is their way in',
  'no-sign-in-mail': 'This service sends no mail',
  'mail-link-leads-nowhere':
    'a link in a letter would lead to {address}, which only the machine of the service reaches: its operator sets PAPERGATE_HOST to the name or address of that machine',
  'opens-one-organization':
    'What began with a link of an administrator, or a link by mail, opens one organization alone: sign in by another way for this',
  'passkey-needs-name': 'Passkeys need an address with a name: this one is a number',
  'passkey-needs-session': 'A passkey is made in a session of the console',
  'passkey-not-taken': 'The passkey was not made: begin again',
  'passkey-not-proved': 'The passkey proves nothing here: begin again',
  'passkey-unknown': 'This passkey is not known here: it was removed, or belongs to another address',
  'passkey-copied':
    'There may be a copy of this passkey, which counts fewer uses than before: it is blocked from now on',
  'passkey-blocked': 'This passkey is blocked, because there may be a copy of it',
  'passkey-blocked-remedy': 'sign in by another way, remove it, and make a new one',
  'many-passkeys': 'An account has at most {#most} passkeys',
  'pairing-needs-session': 'Another device is let in from a session of the console',
  'pairing-taken': 'This code was opened already, on this device or another one',
  'pairing-ended': 'This code has expired: it was not confirmed, or took longer than two minutes',
  'pairing-anew': 'show a new code on the device that is signed in',
} as const;
