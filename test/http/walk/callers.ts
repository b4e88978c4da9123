/** Who may call what: each operation answers each of six callers as the matrix says. */
import * as assert from 'uvu/assert';
import { callOperation, furnish, refurnish, rows, sixCallers } from '../matrix.ts';
import type { Observe } from './walk.ts';

/** Calls as each of the six, and with each optional identifier of one's own. What a call used up is there again for the next. */
export const sixAnswered: Observe = async (world) => {
  const abroad = await furnish(world, world.stranger);
  let home = await furnish(world, world.admin);
  return {
    async visit(called) {
      const row = rows[called.name];
      const prepare = () => row?.prepare?.(world, home.ids);
      let prepared = await prepare();
      for (let index = 0; index < 6; index++) {
        const caller = sixCallers(world, home, abroad)[index];
        if (caller === undefined) throw new Error('six callers');
        const answer = await callOperation(world, called, { caller, ids: home.ids, prepared });
        assert.is(answer.status, row?.expect[index], `${called.name} as ${caller.name}: ${answer.text}`);
        if (answer.status >= 300) continue;
        if (row?.ends !== undefined) home = await refurnish(world, world.admin, home, row.ends);
        if (index < 5) prepared = await prepare();
      }
      for (const place of called.places.filter(({ required }) => !required)) {
        prepared = await prepare();
        const caller = { name: 'admin', as: world.admin, bearer: home.bearer };
        const answer = await callOperation(world, called, { caller, ids: home.ids, place, prepared });
        assert.is(answer.status, row?.expect[1], `${called.name}, ${place.name}: ${answer.text}`);
      }
    },
  };
};
