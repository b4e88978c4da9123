/** Describes refusals in the OpenAPI document, with the codes and words of the one catalogue. */
import { STATUS_CODES } from 'node:http';
import type { z } from 'zod';
import { type RefusalCode, refuse } from '../../../reasons/refusals.ts';
import { statusOf } from '../refusal-status.ts';
import type { AnyRoute } from '../route.ts';
import type { Json } from './describe-schema.ts';

/** The body of every refusal, as JSON Schema. */
export const errorSchema = {
  type: 'object',
  properties: {
    code: { type: 'string', description: 'Stable; for programs' },
    message: { type: 'string', description: 'For people' },
    hint: { type: 'string', description: 'What to do, or the fields that were wrong' },
    reasons: {
      type: 'array',
      description: 'What the message and the hint say beyond the code, for programs, sentence by sentence',
      items: { $ref: '#/components/schemas/Sentence' },
    },
    dependents: {
      type: 'object',
      description: 'Ids of what keeps it from being removed, by kind; at most 100 of each',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    requestId: { type: 'string', description: 'Under which the log has more' },
  },
  required: ['code', 'message'],
};

/** Returns the refusals that every call of this form, by this kind of caller, may get. */
function defaultRefusals(route: AnyRoute): RefusalCode[] {
  const takes = Object.keys((route.params as Partial<z.ZodObject>).shape ?? {}).length > 0 || route.query !== undefined;
  const person: RefusalCode[] = ['not-authenticated', 'rate-limited'];
  const guest: RefusalCode[] = ['guest-link-unknown', 'guest-link-expired', 'guest-link-revoked', 'rate-limited'];
  return [
    ...(takes || route.body !== undefined ? [route.malformed ?? ('invalid-request' as const)] : []),
    ...(route.body === undefined || route.bodyType !== undefined ? [] : ['invalid-json' as const]),
    ...(route.body === undefined ? [] : (['body-too-large', 'unsupported-type'] as const)),
    ...(route.access === 'person' ? person : []),
    ...(route.access === 'anyone' ? ['rate-limited' as const] : []),
    ...(route.access === 'guest' ? guest : []),
    ...(route.access === 'connection' ? ['connection-unauthorized' as const] : []),
    ...(route.refuses ?? (['not-found', 'access-denied'] as const)),
    ...(['internal-error', 'unavailable'] as const),
  ];
}

/** Describes one answer for each status, shared by all routes that refuse in the same words. */
export function describeRefusals(route: AnyRoute, responses: Record<string, unknown>): Json {
  const byStatus = new Map<number, Set<RefusalCode>>();
  for (const code of defaultRefusals(route)) {
    const status = statusOf(code);
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    statuses.map(([status, codes]) => {
      const name = [...codes].sort().join('.');
      responses[name] ??= describeRefusal(status, [...codes].sort());
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function describeRefusal(status: number, codes: readonly RefusalCode[]): Json {
  const examples = codes.map((code) => {
    const { message, hint } = refuse(code);
    return [code, { value: { code, message, ...(hint === undefined ? {} : { hint }) } }];
  });
  const waits = status === 429 || status === 503;
  const retryAfter = { 'Retry-After': { description: 'Whole seconds to wait', schema: { type: 'integer' } } };
  return {
    description: STATUS_CODES[status],
    ...(waits ? { headers: retryAfter } : {}),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) },
    },
  };
}
