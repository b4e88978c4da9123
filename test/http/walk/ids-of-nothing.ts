/** Ids that nothing has and texts that are no ids, wherever a request may hold one: a refusal, and never a 500. */
import * as assert from 'uvu/assert';
import { fieldPrefix } from '../../../api/field-compatible/present-routes.ts';
import { callOperation, furnish, type Ids, rows, unknownIds } from '../matrix.ts';
import type { Observe } from './walk.ts';

/** Texts that are no ids; those with a per cent sign are escapes of what stands in an address. */
export const malformedIds: readonly string[] = [
  ...['0', '-1', 'undefined', 'null', '__proto__', 'constructor', '..', "'", 'g'.repeat(24), 'A'.repeat(24)],
  ...['f'.repeat(25), 'a'.repeat(3_000), '%00', '%ff', '%F0%9F%98%80', '%2e%2e%2f', '%ED%A0%80', '%'],
];

/** Tries an unknown id and these texts in each place of each operation, on both surfaces. */
export const idsRefused =
  (texts: readonly string[]): Observe =>
  async (world) => {
    const home = await furnish(world, world.admin);
    const caller = { name: 'admin', as: world.admin, bearer: home.bearer };
    const named = (text: string): Ids =>
      Object.fromEntries(Object.keys(home.ids).map((kind) => [kind, text])) as unknown as Ids;
    const wrong = [unknownIds(world), ...texts.map(named)];
    let made = 0;
    return {
      async visit(called) {
        if (called.places.length === 0) return;
        const prepared = await rows[called.name]?.prepare?.(world, home.ids);
        for (const surface of called.path.startsWith(`${fieldPrefix}/`) ? [''] : ['', fieldPrefix]) {
          for (const place of called.places) {
            for (const given of wrong) {
              const request = { caller, ids: home.ids, place, given, prepared };
              const answer = await callOperation(world, { ...called, path: surface + called.path }, request);
              const where = `${surface}${called.name}, ${place.name} in ${place.in}: ${JSON.stringify(given)} ${answer.text}`;
              assert.ok(answer.status < 500, `${answer.status} ${where}`);
              made++;
            }
          }
        }
      },
      end: () => assert.ok(made > 80 * wrong.length, `${made} calls`),
    };
  };

/** No call of the walk makes the service fail. */
export const neverFails: Observe = async () => ({
  answered: ({ status, text }, where) => assert.ok(status < 500, `${where}: ${status} ${text}`),
});
