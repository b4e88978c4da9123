/** Gives every refusal its HTTP status, here alone. */
import type { RefusalCode } from '../../runtime/refusals.ts';

const statuses: Readonly<Record<RefusalCode, number>> = {
  'invalid-request': 400,
  'invalid-json': 400,
  'not-authenticated': 401,
  'access-denied': 403,
  'not-found': 404,
  conflict: 409,
  'still-needed': 409,
  'changed-meanwhile': 409,
  'length-required': 411,
  'body-too-large': 413,
  'unsupported-type': 415,
  'rate-limited': 429,
  unavailable: 503,
  'internal-error': 500,
  'invalid-integration-request': 400,
  'text-or-image-required': 400,
  'invalid-image': 400,
  'unsupported-image': 400,
  'invalid-integration-configuration': 400,
  'unusable-integration': 400,
  'redirect-token-spent': 400,
  'grant-spent': 401,
  'connection-unauthorized': 401,
  'paper-access-denied': 403,
  'integration-changed': 403,
  'configuration-not-saved': 409,
  'message-id-used': 409,
  'integration-disabled': 503,
  'picture-gone': 410,
  'unknown-frame': 404,
  'frame-taken': 409,
  'other-panel': 409,
  'versions-used-up': 409,
  'not-conforming': 422,
  'promise-broken': 422,
  'page-not-rendered': 400,
  'no-browser': 503,
  'unsafe-browser': 503,
  'frame-url-too-long': 400,
  'bad-configuration': 400,
  'damaged-file': 503,
  'unsafe-database': 503,
  'newer-database': 503,
  'lost-database': 503,
};

/** Returns the status with which a refusal is answered. */
export function statusOf(code: RefusalCode): number {
  return statuses[code];
}
