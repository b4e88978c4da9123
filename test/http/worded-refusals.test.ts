/** Every field of every route, missing and of a wrong type: what is told of it is a sentence with words. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { fit } from '../../api/http/fit-schema.ts';
import { Refusal } from '../../reasons/refusals.ts';
import { spellOut } from '../../reasons/words.ts';
import { furnish } from './matrix.ts';
import { type HttpWorld, withHttp } from './world.ts';

const test = suite('worded refusals');
const many = { callsPerMinute: 1_000_000, organizationCallsPerMinute: 1_000_000, joinsPerMinute: 1_000_000 };

/** Of each type one, and of those that a field may have one that is out of every bound. */
const wrongValues: readonly unknown[] = [
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
];

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

/** Returns what is told of a value that does not fit; undefined where it fits. */
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

test('every field of every route is refused in words when it is missing or wrong', () =>
  withHttp(async ({ routes }) => {
    let judged = 0;
    for (const { method, path, body, query, params } of routes) {
      for (const [place, schema] of Object.entries({ body, query, params })) {
        if (schema === undefined) continue;
        const where = `${method} ${path}, ${place}`;
        for (const value of wrongValues) {
          const whole = told(schema, value);
          if (whole !== undefined) judgeRefusal(whole, where);
          for (const [name, field] of fieldsOf(schema)) {
            const of = told(z.object({ [name]: field }), value === undefined ? {} : { [name]: value });
            if (of === undefined) continue;
            judgeRefusal(of, `${where}, ${name} as ${JSON.stringify(value)?.slice(0, 40)}`);
            judged++;
          }
        }
      }
    }
    assert.ok(judged > 1_500, `${judged} refusals`);
  }));

/** An answer's texts: those that people read, and those that programs do. */
function judgeAnswer(answer: Awaited<ReturnType<HttpWorld['call']>>, where: string): void {
  const { message, hint, reasons = [] } = answer.json;
  assert.not.ok(isWordless(message), `${where}: ${answer.text}`);
  if (hint !== undefined) judgeText(hint, where);
  judgeSentences(reasons, `${where}: ${answer.text}`);
}

test('every answer that refuses a body without its fields, or with wrong ones, has words throughout', () =>
  withHttp(async (world) => {
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
    };
    const refused = new Set<string>();
    for (const { method, path, body, bodyType = 'json', access } of world.routes) {
      if (body === undefined || bodyType !== 'json' || method === 'GET') continue;
      const address = path.replaceAll(/:(\w+)/g, (_, name: string) => named[name] ?? '0'.repeat(24));
      const as = access === 'connection' ? {} : { as: world.admin };
      const headers = access === 'connection' ? { headers: { authorization: bearer } } : {};
      for (const value of [undefined, 7, '', [], {}, 'nonsense']) {
        const wrong = Object.fromEntries(fieldsOf(body).map(([name]) => [name, value]));
        const json = value === undefined ? {} : wrong;
        const answer = await world.call(method, address, { ...as, ...headers, json });
        if (answer.status < 400) continue;
        judgeAnswer(answer, `${method} ${address} ${JSON.stringify(json)}`);
        if (answer.status === 400) refused.add(`${method} ${path}`);
      }
    }
    assert.ok(refused.size > 25, `${refused.size} routes`);
    const { json } = await world.call('POST', '/organizations/', { as: world.admin, json: {} });
    assert.is(json.hint, 'kind: Invalid input: expected string, received undefined');
    assert.equal(json.reasons, [
      { code: 'field-missing', parameters: { field: 'kind', expected: 'string' }, sentence: json.hint },
    ]);
  }, many));

test.run();
