/** The route that lists what the catalogues of integrations list. */

import { z } from 'zod';
import { spellOut, wordsOf } from '../../../reasons/words.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { spelledAs, spelledReasons } from '../../http/spelled-reasons.ts';
import { listedIntegration } from '../../integration/catalogue-document.ts';
import type { IntegrationDeps } from './integration-deps.ts';

const cataloguesShown = z.object({
  catalogues: z.array(
    z.object({
      name: z.string(),
      from: z.string().describe('The host or the file that it comes from'),
      problem: z
        .string()
        .optional()
        .describe('Why it could not be read; what is listed next to it was read before that'),
      problems: spelledReasons.optional(),
      integrations: z.array(listedIntegration),
      leftOut: z.array(z.string()).describe('Entries that do not fit the format, with what is wrong'),
      leftOutProblems: z.array(spelledReasons).describe('the same for programs, entry by entry'),
      notes: z.array(z.string()).describe('Icons that entries lack, with the reason'),
      notedProblems: z.array(spelledReasons).describe('the same for programs, note by note'),
    }),
  ),
});

/** Returns the route. Anyone who may call is shown the same: the operator named the catalogues for all. */
export function catalogueRoute({ readCatalogues }: IntegrationDeps): AnyRoute {
  return route('GET /v1/integration-papers/catalogues', {
    summary: 'Integrations that the catalogues list which the operator named; none unless named',
    noStore: true,
    output: cataloguesShown,
    refuses: [],
    async handle() {
      const catalogues = await readCatalogues();
      return {
        catalogues: catalogues.map(({ from, name, integrations, leftOut, notes = [], problem }) => ({
          from,
          name,
          ...(problem !== undefined && { problem: wordsOf(problem), ...spelledAs('problems', [problem]) }),
          integrations: [...integrations],
          leftOut: leftOut.map(wordsOf),
          leftOutProblems: leftOut.map((reason) => [...spellOut(reason)]),
          notes: notes.map(wordsOf),
          notedProblems: notes.map((reason) => [...spellOut(reason)]),
        })),
      };
    },
  });
}
