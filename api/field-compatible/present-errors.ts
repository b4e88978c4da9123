/** Presents errors below `/v1` as clients in the field read them. */

import type { Dependents } from '../../reasons/refusals.ts';
import type { PresentError } from '../http/answer-errors.ts';
import { isFieldPath } from './present-routes.ts';

/** Clients in the field retry most statuses besides 400, 401, 403 and 404, and print all of the body. */
const toldAs400: readonly number[] = [405, 411, 413, 415, 422];

export const presentFieldError: PresentError = (path, { status: given, body, device }) => {
  if (!isFieldPath(path)) return undefined;
  const { message, hint, dependents, requestId } = body;
  const status = toldAs400.includes(given) ? 400 : given;
  const details = dependents === undefined ? hint : `remove or move ${inWords(dependents)}, then try again`;
  return { status, body: { code: status, message, raw: requestId ?? details ?? null, ...(device && { device }) } };
};

/** Writes dependents as `devices 6b02…, 6b03…; papers 6b04…`: the shape of the field has a place only for a text. */
function inWords(dependents: Dependents): string {
  return Object.entries(dependents)
    .map(([kind, ids]) => `${kind} ${ids.join(', ')}`)
    .join('; ');
}
