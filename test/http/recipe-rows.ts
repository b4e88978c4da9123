/** The rows of the matrix of access for recipes, and for the data of papers that show one. */
import { FormData } from 'undici';
import type { HttpWorld } from './world.ts';

const settings = 'name: Board\nstrategy: static\n';
const written = { settings, views: { full: 'x' } };
const nothing = { recipeId: '0'.repeat(24) };

interface Ids {
  readonly organization: string;
  readonly device: string;
}

async function newRecipe({ call, admin }: HttpWorld, { organization }: Ids) {
  const made = await call('POST', '/recipes/', { as: admin, json: { organization, ...written } });
  return { params: { recipeId: made.json.id } };
}

async function recipePaper({ call, admin }: HttpWorld, ids: Ids) {
  const meta = { recipe: 'own-moon-sun', pluginSettings: { place: '52.5,13.4' } };
  const json = { organization: ids.organization, deviceId: ids.device, kind: 'recipe', meta };
  return { ids: { paper: (await call('POST', '/papers', { as: admin, json })).json.id } };
}

/** The rows, by the operations. */
export const recipeRows = {
  'GET /recipes/': { expect: [401, 200, 200, 200, 403, 404] },
  'GET /recipes/{recipeId}': { expect: [401, 200, 200, 200, 403, 404], params: { recipeId: 'own-weather' } },
  'POST /recipes/': { expect: [401, 201, 201, 403, 403, 404], body: written },
  // Its form names no organization.
  'POST /recipes/archive': { expect: [401, 400, 400, 400, 400, 400], send: () => new FormData() },
  'POST /recipes/address': { expect: [401, 400, 400, 403, 403, 404], body: { address: 'nowhere' } },
  'PUT /recipes/{recipeId}': {
    expect: [401, 200, 200, 403, 403, 404],
    params: nothing,
    body: written,
    prepare: newRecipe,
  },
  'DELETE /recipes/{recipeId}': { expect: [401, 204, 204, 403, 403, 404], params: nothing, prepare: newRecipe },
  'GET /papers/{paperId}/recipe-data': { expect: [401, 200, 200, 404, 404, 404], prepare: recipePaper },
  'POST /papers/{paperId}/recipe-data': { expect: [401, 200, 200, 404, 404, 404], prepare: recipePaper },
  'POST /previews/recipe-data': { expect: [401, 200, 200, 403, 403, 404], body: { meta: {} } },
  // The end of its address is the permission.
  'POST /hooks/recipes/{token}': {
    expect: [404, 404, 404, 404, 404, 404],
    params: { token: 'x'.repeat(32) },
    body: { merge_variables: {} },
  },
  'GET /hooks/recipes/{token}': { expect: [404, 404, 404, 404, 404, 404], params: { token: 'x'.repeat(32) } },
} as const;
