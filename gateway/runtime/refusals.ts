/**
 * Expected failures: one catalogue, one class. Mapped to HTTP in `api/http/answer-errors`, to MQTT in
 * `gateway/broker`, printed with its hint by the CLI. Everything else that is thrown is a bug.
 */

interface RefusalRow {
  readonly status: number;
  readonly message: string;
  readonly hint?: string;
}

function row(status: number, message: string, hint?: string): RefusalRow {
  return hint === undefined ? { status, message } : { status, message, hint };
}

/** Every refusal of the service. Messages of the integration API are the specification's own words. */
const refusals = {
  'invalid-request': row(400, 'Invalid request'),
  'invalid-json': row(400, 'The body is not valid JSON'),
  'not-authenticated': row(401, 'Authentication required', 'send x-api-key, or Authorization: Bearer with a JWT'),
  'access-denied': row(403, 'Access denied'),
  'not-found': row(404, 'Not found'),
  conflict: row(409, 'This conflicts with what is stored'),
  'still-needed': row(409, 'Something still depends on it', 'remove or move what dependents names, then try again'),
  'length-required': row(411, 'Content-Length required'),
  'body-too-large': row(413, 'The body is too large'),
  'unsupported-type': row(415, 'Unsupported content type', 'send application/json'),
  'rate-limited': row(
    429,
    'Too many requests',
    'wait for the seconds in Retry-After, then send the same request again',
  ),
  unavailable: row(503, 'The service is not ready', 'try again shortly'),
  'internal-error': row(500, 'Internal error', 'the log has the details under this request id'),

  'invalid-integration-request': row(400, 'Invalid integration request'),
  'text-or-image-required': row(400, 'Text or image required'),
  'invalid-image': row(400, 'Invalid image (maximum 20 MB)', 'standard Base64 without data: prefix or line breaks'),
  'unsupported-image': row(400, 'Supported images: JPEG, PNG, WebP, maximum 40 MP'),
  'invalid-integration-configuration': row(400, 'Invalid push integration configuration'),
  'grant-spent': row(401, 'Connection grant expired or used', 'ask the settings page for a new connection'),
  'connection-unauthorized': row(401, 'Connection not authorized', 'reconnect the integration'),
  'paper-access-denied': row(403, 'Paper access denied'),
  'integration-changed': row(403, 'Integration configuration changed; reconnect'),
  'configuration-not-saved': row(
    409,
    'Paper or settings page not saved or not matching',
    'save, then ask for a new grant',
  ),
  'message-id-used': row(409, 'This messageId exists with different content', 'new content needs a new messageId'),
  'integration-disabled': row(503, 'Integration processing is disabled'),

  'unknown-frame': row(404, 'No such frame is provisioned here', 'papergate frames provision SERIAL --out DIR'),
  'frame-taken': row(409, 'This frame belongs to somebody else'),
  'versions-used-up': row(
    409,
    'The frame has the last picture version there is, 2147483647',
    'let the frame report 0, as after a factory reset, and provision it anew: papergate frames provision SERIAL --out DIR',
  ),
  'not-conforming': row(
    422,
    'The frame does not keep the protocol',
    'docs/protocol.md explains each clause by its name',
  ),
  'promise-broken': row(422, 'A promise was broken in the simulation', 'docs/rules.md explains each rule by its id'),
  'page-not-rendered': row(400, 'The page could not be rendered'),
  'no-browser': row(503, 'No Chromium found', 'apt install chromium-headless-shell, or set PAPERGATE_BROWSER'),
  'unsafe-browser': row(503, 'The browser cannot be started inside its sandbox'),
  'frame-url-too-long': row(400, 'The download address of classic frames is too long', 'shorten PAPERGATE_FRAME_URL'),
  'bad-configuration': row(400, 'The configuration is not usable'),
  'damaged-file': row(503, 'A file of the data folder is damaged', 'put it back from a backup'),
  'unsafe-database': row(503, 'The database would lose acknowledged rows'),
} as const satisfies Record<string, RefusalRow>;

export type RefusalCode = keyof typeof refusals;

/** Ids of what depends on something, by kind. */
export type Dependents = Readonly<Record<string, readonly string[]>>;

/** What a refusal may say beyond its row of the catalogue. */
export interface RefusalDetails {
  readonly message?: string;
  readonly hint?: string;
  readonly retryAfterSeconds?: number;
  readonly dependents?: Dependents;
  /** The device that is there already, as the caller may see it. */
  readonly device?: object;
}

/** An expected failure with its code, HTTP status and what to do next. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly status: number;
  readonly hint: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly dependents: Dependents | undefined;
  readonly device: object | undefined;

  constructor(code: RefusalCode, more: RefusalDetails = {}) {
    const known: RefusalRow = refusals[code];
    super(more.message ?? known.message);
    this.name = 'Refusal';
    this.code = code;
    this.status = known.status;
    this.hint = more.hint ?? known.hint;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.dependents = more.dependents;
    this.device = more.device;
  }
}

/** `throw refuse('not-found')`, optionally with words that fit the case better. */
export function refuse(code: RefusalCode, more?: RefusalDetails): Refusal {
  return new Refusal(code, more);
}
