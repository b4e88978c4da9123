/** Judges callbacks as a receiver would who has read docs/openapi.json and nothing else. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { z } from 'zod';

const api = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../docs/openapi.json'), 'utf8'));
const { schema } = api.webhooks.contentCallback.post.requestBody.content['application/json'];
const { PaperCallback, FrameCallback } = api.components.schemas;
const inOne = JSON.stringify({ ...schema, $defs: { PaperCallback, FrameCallback } });
const described = z.fromJSONSchema(JSON.parse(inOne.replaceAll('#/components/schemas/', '#/$defs/')));

/** Returns the mistake in the body of a callback; undefined when there is none. */
export function callbackProblem(body: string): string | undefined {
  const event: object = JSON.parse(body);
  // The description leaves room for fields to come, so what is there today is compared besides.
  const form = 'deviceId' in event ? FrameCallback : PaperCallback;
  const unknown = Object.keys(event).filter((field) => !Object.hasOwn(form.properties, field));
  if (unknown.length > 0) return `${unknown} is not described`;
  const judged = described.and(z.fromJSONSchema(form)).safeParse(event);
  return judged.success ? undefined : z.prettifyError(judged.error);
}

/** Fails for a body that is not as it is described. */
export function assertDescribed(body: string): void {
  assert.is(callbackProblem(body), undefined, body);
}
