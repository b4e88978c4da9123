/** Every field of every route, missing and of a wrong type: the answer is a sentence in words. */
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { fit } from '../../../api/http/fit-schema.ts';
import type { AnyRoute } from '../../../api/http/route.ts';
import { Refusal } from '../../../reasons/refusals.ts';
import { spellOut } from '../../../reasons/words.ts';
import { type Called, furnish } from '../matrix.ts';
import type { Answer } from '../world.ts';
import type { Observe } from './walk.ts';

/** Of each type one, and of those that a field may have one that is out of every bound; with how a failure names it. */
const wrongValues: readonly (readonly [value: unknown, label: string])[] = [
  undefined,
  null,
  true,
  7,
  -1e300,
  0.5,
  '',
  'nonsense',
  'x'.repeat(200_001),
  [],
  [{}],
  [7],
  {},
  { nonsense: {} },
  Array.from({ length: 2_000 }, () => 'nonsense'),
].map((value) => [value, String(JSON.stringify(value)).slice(0, 40)] as const);

const isWordless = (text: string): boolean => !/[\p{L}\d]/u.test(text) || /:\s*$/.test(text);

/** Fails for a text without words. */
function judgeText(text: string, where: string): void {
  assert.not.ok(isWordless(text), `${where}: ${JSON.stringify(text)}`);
}

/** `the manifest could not be fetched:` says something itself, and another sentence is behind it. `kind:` says nothing. */
function judgeSentences(read: readonly { readonly sentence: string }[], where: string): void {
  read.forEach(({ sentence }, at) => {
    const opensNext = /\w \w.*:$/.test(sentence) && at + 1 < read.length;
    assert.not.ok(isWordless(sentence) && !opensNext, `${where}: ${JSON.stringify(sentence)}`);
  });
}

/** Fails for a refusal that has no words, for people or for programs. */
function judgeRefusal({ hint = '', reasons }: Refusal, where: string): void {
  judgeText(hint, where);
  judgeSentences(spellOut(reasons), `${where}: ${JSON.stringify(hint)}`);
}

/** Returns the refusal of a value that does not fit; undefined where it fits. */
function told(schema: z.ZodType, value: unknown): Refusal | undefined {
  try {
    fit(schema, value, 'invalid-request');
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The fields of a body or query, each with its own schema. */
const fieldsOf = (schema: z.ZodType): [name: string, schema: z.ZodType][] =>
  schema instanceof z.ZodObject ? Object.entries(schema.shape as Record<string, z.ZodType>) : [];

/** Judges the refusal of each missing or wrong field of a route; returns how many there are. */
function judgeFields({ method, path, body, query, params }: AnyRoute): number {
  let judged = 0;
  for (const [place, schema] of Object.entries({ body, query, params })) {
    if (schema === undefined) continue;
    const where = `${method} ${path}, ${place}`;
    for (const [value, label] of wrongValues) {
      const whole = told(schema, value);
      if (whole !== undefined) judgeRefusal(whole, where);
      for (const [name, field] of fieldsOf(schema)) {
        const of = told(z.object({ [name]: field }), value === undefined ? {} : { [name]: value });
        if (of === undefined) continue;
        judgeRefusal(of, `${where}, ${name} as ${label}`);
        judged++;
      }
    }
  }
  return judged;
}

/** Judges the texts of a refusal: those that people read, and those that programs do. */
function judgeAnswer({ json, text, status }: Answer, where: string): void {
  const { message, hint, reasons = [] } = json;
  assert.not.ok(isWordless(message), `${where}: ${status} ${text}`);
  if (hint !== undefined) judgeText(hint, where);
  judgeSentences(reasons, `${where}: ${text}`);
}

/** Sends a body without its fields, and with wrong ones, and reads every refusal of the walk. */
export const refusalsWorded: Observe = async (world) => {
  const { ids, bearer } = await furnish(world, world.admin);
  const named: Record<string, string> = {
    organizationId: ids.organization,
    userId: ids.user,
    accountId: ids.account,
    serial: ids.serial,
    deviceId: ids.device,
    paperId: ids.paper,
    connectionId: ids.connection,
    rolloutId: ids.rollout,
    recipeId: ids.recipe,
    jobId: ids.job,
    groupId: ids.group,
  };
  const refused = new Set<string>();
  let visited = 0;
  let judged = 0;
  return {
    answered(answer, where) {
      if (answer.status >= 400 && answer.json !== undefined) judgeAnswer(answer, where);
    },
    async visit({ name }: Called) {
      const route = world.routes.find(({ method, path }) => name === `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
      if (route === undefined) throw new Error(name);
      visited++;
      judged += judgeFields(route);
      const { method, path, body, bodyType = 'json', access } = route;
      if (body === undefined || bodyType !== 'json' || method === 'GET') return;
      const address = path.replaceAll(/:(\w+)/g, (_, part: string) => named[part] ?? '0'.repeat(24));
      const as = access === 'connection' ? { headers: { authorization: bearer } } : { as: world.admin };
      for (const value of [undefined, 7, '', [], {}, 'nonsense']) {
        const wrong = Object.fromEntries(fieldsOf(body).map(([field]) => [field, value]));
        const json = value === undefined ? {} : wrong;
        const answer = await world.call(method, address, { ...as, json });
        if (answer.status < 400) continue;
        judgeAnswer(answer, `${method} ${address} ${JSON.stringify(json)}`);
        if (answer.status === 400) refused.add(name);
      }
    },
    async end() {
      assert.is(visited, world.routes.length, 'every route is an operation');
      assert.ok(judged > 1_500, `${judged} refusals`);
      assert.ok(refused.size > 25, `${refused.size} routes`);
      const { json } = await world.call('POST', '/organizations/', { as: world.admin, json: {} });
      assert.is(json.hint, 'kind: Invalid input: expected string, received undefined');
      assert.equal(json.reasons, [
        { code: 'field-missing', parameters: { field: 'kind', expected: 'string' }, sentence: json.hint },
      ]);
    },
  };
};
