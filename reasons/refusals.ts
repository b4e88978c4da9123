/**
 * Refusals, the expected failures: one catalogue and one class. `api/http/refusal-status` has the HTTP status of each;
 * the CLI prints them with their hints. Everything else that is thrown is a bug.
 */
import { type Because, listOf, type Reasons, reasonOf } from './reason.ts';
import { wordsOf } from './words.ts';

interface RefusalRow {
  readonly message: Because;
  readonly hint?: Because;
}

function row(message: Because, hint?: Because): RefusalRow {
  return hint === undefined ? { message } : { message, hint };
}

/** Every refusal of the service. Messages of the integration API are the specification's own words. */
const refusals = {
  'invalid-request': row('Invalid request'),
  'invalid-json': row('The body is not valid JSON'),
  'not-authenticated': row('Authentication required', 'send x-api-key, or Authorization: Bearer with a JWT'),
  'access-denied': row('Access denied'),
  'not-found': row('Not found'),
  conflict: row('This conflicts with what is stored'),
  'changed-meanwhile': row(
    'Somebody else changed it meanwhile',
    'read it again, merge what you mean to change, and send its new updatedAt',
  ),
  'nothing-to-return-to': row(
    'There is nothing that could come back at showUntil',
    'give the paper a picture, or the device a paper, or leave showUntil out',
  ),
  'still-needed': row('Something still depends on it', 'remove or move what dependents names, then try again'),
  'length-required': row('Content-Length required'),
  'body-too-large': row('The body is too large'),
  'unsupported-type': row('Unsupported content type', 'send application/json'),
  'rate-limited': row('Too many requests', 'wait for the seconds in Retry-After, then send the same request again'),
  unavailable: row('The service is not ready', 'try again shortly'),
  'internal-error': row('Internal error', 'the log has the details under this request id'),

  'invalid-integration-request': row('Invalid integration request'),
  'text-or-image-required': row('Text or image required'),
  'invalid-image': row(
    'Invalid image (maximum 20 MB)',
    'at most 20 MiB, in standard Base64 without data: prefix or line breaks',
  ),
  'unsupported-image': row('Supported images: JPEG, PNG, WebP, maximum 40 MP'),
  'invalid-integration-configuration': row('Invalid push integration configuration'),
  'unusable-integration': row("The paper's integration cannot be used"),
  'redirect-token-spent': row(
    'The redirect token is expired, used or of another paper',
    'open the settings page again and start from there',
  ),
  'grant-spent': row('Connection grant expired or used', 'ask the settings page for a new connection'),
  'connection-unauthorized': row('Connection not authorized', 'reconnect the integration'),
  'paper-access-denied': row('Paper access denied'),
  'integration-changed': row('Integration configuration changed; reconnect'),
  'configuration-not-saved': row('Paper or settings page not saved or not matching', 'save, then ask for a new grant'),
  'message-id-used': row('This messageId exists with different content', 'new content needs a new messageId'),
  'integration-disabled': row('Integration processing is disabled'),
  'cursor-unknown': row(
    'This cursor is not known: it is too old, from before a restore, or of another connection',
    'list without after, from the oldest event that is kept; older ones are lost, and the status says how things stand',
  ),

  'guest-link-unknown': row(
    'There is no such guest link',
    'open the whole address that you were given, or ask for a new one',
  ),
  'guest-link-expired': row('This guest link has expired', 'ask the person who gave it to you for a new one'),
  'guest-link-revoked': row('This guest link was revoked', 'ask the person who gave it to you for a new one'),
  'guest-link-used-up': row(
    'As many pictures were sent with this guest link as it allows',
    'ask the person who gave it to you for a new one',
  ),
  'storage-full': row(
    'The organization has stored as much as it may',
    'remove pictures that nobody misses; their room is free some hours later. The operator can allow more',
  ),
  'album-full': row('The album is full', 'remove pictures that nobody misses, then send this one again'),

  'picture-gone': row(
    'The file of this picture is no longer kept',
    'pictures that were on a glass are kept for 90 days, as far as PAPERGATE_PAST_PICTURES has room for them',
  ),
  'unknown-frame': row('No such frame is provisioned here', 'papergate frames provision SERIAL --out DIR'),
  'frame-taken': row('This frame belongs to somebody else'),
  'other-panel': row(
    'The frame has another panel than its device',
    'give the frame the kind of its panel: papergate frames provision SERIAL --kind PANEL --out DIR',
  ),
  'versions-used-up': row(reasonOf('versions-used-up'), reasonOf('remedy-versions-used-up')),
  'not-conforming': row('The frame does not keep the protocol', 'docs/conformance.md explains each clause by its name'),
  'promise-broken': row('A promise was broken in the simulation', 'docs/rules.md explains each rule by its id'),
  'not-as-expected': row('The scenario did not go as it expects', '--report FILE writes what happened as a page'),
  'page-not-rendered': row('The page could not be rendered'),
  'no-browser': row(
    reasonOf('browser-missing'),
    'apt install chromium-headless-shell, or set PAPERGATE_BROWSER; of the container take the image that is not slim',
  ),
  'unsafe-browser': row('The browser cannot be started inside its sandbox'),
  'frame-url-too-long': row('The download address of classic frames is too long', 'shorten PAPERGATE_FRAME_URL'),
  'bad-configuration': row('The configuration is not usable'),
  'damaged-file': row('A file of the data folder is damaged', 'put it back from a backup'),
  'unsafe-database': row('The database would lose acknowledged rows'),
  'newer-database': row(
    'The database is one of a newer version of papergate',
    'run that version, or restore a backup from before it was used',
  ),
  'lost-database': row(
    'The database is empty, though a service has run over this folder',
    'restore the backup; for a new service name another data folder, or move those keys away',
  ),
} as const satisfies Record<string, RefusalRow>;

export type RefusalCode = keyof typeof refusals;

export const refusalCodes = Object.keys(refusals) as RefusalCode[];

/** The ids of everything that depends on something, by kind. */
export type Dependents = Readonly<Record<string, readonly string[]>>;

/** The details that a refusal may have beyond its row of the catalogue. */
export interface RefusalDetails {
  readonly message?: Because;
  readonly hint?: Because | Reasons;
  readonly retryAfterSeconds?: number;
  readonly dependents?: Dependents;
  /** The device that exists already, as the caller may see it. */
  readonly device?: object;
}

/** An expected failure with its code and what to do next. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  /** The message as a value. */
  readonly reason: Because;
  readonly hint: string | undefined;
  /** The reasons of the message and the hint, where they state more than the code. */
  readonly reasons: Reasons;
  readonly retryAfterSeconds: number | undefined;
  readonly dependents: Dependents | undefined;
  readonly device: object | undefined;

  constructor(code: RefusalCode, more: RefusalDetails = {}) {
    const known: RefusalRow = refusals[code];
    super(wordsOf(more.message ?? known.message));
    this.name = 'Refusal';
    this.code = code;
    this.reason = more.message ?? known.message;
    const hint = more.hint ?? known.hint;
    this.hint = hint === undefined ? undefined : wordsOf(hint);
    this.reasons = [...withCodes(more.message), ...withCodes(more.hint)];
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.dependents = more.dependents;
    this.device = more.device;
  }
}

/** Words of somebody else stay with the reason before them, and are left out where they are all. */
function withCodes(reasons: Because | Reasons | undefined): Reasons {
  const list = reasons === undefined ? [] : listOf(reasons);
  return list.some((one) => typeof one !== 'string') ? list : [];
}

/** Makes a refusal to throw, as `throw refuse('not-found')`, optionally with a message that fits the case better. */
export function refuse(code: RefusalCode, more?: RefusalDetails): Refusal {
  return new Refusal(code, more);
}
