/** The duties of a frame to the protocol, one sentence each; the conformance kit judges by them. */
export const clauses = {
  'own-topics': 'A frame uses its own topics only, never retained, with QoS 0 or 1.',
  'well-formed': 'Every message of a frame is one that its dialect’s table accepts.',
  'takes-newer': 'A picture of a greater version is fetched from the address that was announced for it.',
  'takes-every-byte': 'A download takes every byte, and the frame then closes the connection properly.',

  'hello-opens': 'Every wake begins with hello.',
  'names-panel': 'Hello names the panel that the frame was provisioned for.',
  'counts-boots': '`boot` grows from wake to wake.',
  'remembers-glass': 'Hello repeats version and digest of what was shown last; a failure changes neither.',
  'one-get': 'One GET fetches a picture; what failed is not tried again in the same wake.',
  'fetched-before-said': '`fetched` and `shown` are said only of a file that came whole.',
  'names-offer': 'A report names upload and version of the desired it belongs to.',
  'says-how-far': 'Every picture that was announced comes to `fetched` and `shown`, or to `failed`.',
  'glass-as-it-is': 'Until a picture is drawn, reports carry the digest of the old one and `pictureSynced` false.',
  'shown-with-digest': '`shown` carries the digest that was announced, and `pictureSynced` true.',
  'said-once': 'A report that was acknowledged is not said again in a later wake.',
  'answers-commands': 'Every command is answered by a reply with its id.',
  'bye-closes': 'A wake ends with bye, which announces the sleep that desired has set.',

  'resumes-session': 'A TLS session that a frame kept over its sleep is resumed at its next wake.',
  'shakes-hands-again': 'A session that the gateway no longer takes costs a full handshake, never the wake.',

  'reports-wake': 'A classic wake begins with a report that names firmware and stored version.',
  'file-is-stored': '`file` is the version of the picture that was taken last.',
  'keeps-timeout': 'The next wake report repeats the timeout that was sent.',
  'asks-for-address': 'Told of a newer version without an address, a classic frame asks for it.',
  'state-after-download': 'A state is said only after the picture was asked for in the same wake.',
  'state-tells-outcome': '`update_ok` follows a whole file, `update_failed` an address that never answered.',
} as const;

export type ClauseId = keyof typeof clauses;
