/** Calls that the service makes itself, in the OpenAPI document. */
import type { z } from 'zod';
import { type Components, describeSchema, type Json, type Operation } from './describe-schema.ts';

/** A call that the service makes to an address of somebody else: a POST with a body of JSON. */
export interface Webhook {
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** The bearer token by which the receiver knows the service. */
  readonly credential: { readonly name: string; readonly description: string };
  /** Headers besides those of every request with a body of JSON and a bearer token. */
  readonly headers: Readonly<Record<string, Json>>;
  readonly body: z.ZodType;
  /** The meaning of each answer of the receiver, by status: `204`, `2XX`, `default`. */
  readonly answers: Readonly<Record<string, string>>;
}

/** A webhook as an operation of the document. */
export function describeWebhook(webhook: Webhook, components: Components): Operation {
  const { name, tag, summary, description, credential, headers, body, answers } = webhook;
  components.securitySchemes[credential.name] = {
    type: 'http',
    scheme: 'bearer',
    description: credential.description,
  };
  const schema = describeSchema(body, 'output', components);
  return {
    operationId: name,
    summary,
    description,
    tags: [tag],
    security: [{ [credential.name]: [] }],
    parameters: Object.entries(headers).map(([header, shape]) => ({
      name: header,
      in: 'header',
      required: true,
      schema: shape,
    })),
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: Object.fromEntries(Object.entries(answers).map(([status, text]) => [status, { description: text }])),
  };
}
