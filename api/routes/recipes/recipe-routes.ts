/** Routes of recipes: those that an organization can choose from, and those that it takes in, writes and removes. */

import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import type { CommonDeps } from '../../../runtime/database/common-deps.ts';
import { newRow } from '../../../runtime/database/table.ts';
import { requireMembership } from '../../access/principal.ts';
import { keepOrganization } from '../../directory/store.ts';
import { objectId } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { readContent } from '../../http/uploaded-file.ts';
import { recipesTables } from '../../recipes/data/tables.ts';
import {
  archiveAddress,
  type ImportDeps,
  type Imported,
  importFrom,
  importRecipe,
  maxArchiveBytes,
} from '../../recipes/import-recipe.ts';
import type { KnownRecipe, SourceKind } from '../../recipes/known-recipe.ts';
import { ownRecipes } from '../../recipes/own-recipes.ts';
import { layouts } from '../../recipes/package/recipe.ts';
import { findRecipe, knownRecipe, type RecipeRow, recipeColumns } from '../../recipes/recipe-store.ts';
import { changePapersOf } from './change-papers.ts';
import { type PublicRecipesDeps, publicRecipesRoute } from './public-recipes-route.ts';
import { recipeListed, recipeShown, showListed, showRecipe } from './show-recipe.ts';

export interface RecipeRouteDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'>, ImportDeps {
  readonly sealKey: Uint8Array;
  /** Has frames that show a changed recipe drawn again; called after a commit. */
  readonly nudge: () => void;
}

/** The most recipes of one organization. */
const maxRecipes = 200;

const ofOrganization = z.object({ organization: objectId });

/** The id of a recipe: one of an organization, or one that the service brings along. */
export const recipeIdText = z.string().regex(/^(?:[0-9a-f]{24}|own-[a-z0-9-]{1,60})$/);

const recipeId = z.object({ recipeId: recipeIdText });

const layoutTexts = Object.fromEntries(layouts.map((layout) => [layout, z.string().max(1_048_576).optional()]));

/** A recipe as somebody types it. */
const written = z.object({
  settings: z.string().max(262_144).describe('The text of settings.yml'),
  shared: z.string().max(1_048_576).describe('Markup that stands before that of every layout').optional(),
  transform: z.string().max(262_144).describe('A program in JavaScript that changes the data').optional(),
  views: z.object(layoutTexts).describe('Markup in Liquid by layout; full is enough'),
});

/** Returns the routes. */
export function recipeRoutes(deps: RecipeRouteDeps & PublicRecipesDeps): AnyRoute[] {
  return [
    listRoute(deps),
    publicRecipesRoute(deps),
    readRoute(deps),
    writeRoute(deps),
    archiveRoute(deps),
    addressRoute(deps),
    changeRoute(deps),
    removeRoute(deps),
  ];
}

function listRoute({ db }: RecipeRouteDeps): AnyRoute {
  return route('GET /recipes/', {
    summary: 'The recipes that an organization can choose from: those that the service brings along, then its own',
    query: ofOrganization,
    output: z.array(recipeListed),
    async handle({ query: { organization }, principal }) {
      requireMembership(principal, organization, 'read');
      const rows = await db<RecipeRow>('recipes').where({ organization_id: organization }).orderBy('name');
      return [...(await ownRecipes()).values(), ...rows.map(knownRecipe)].map(showListed);
    },
  });
}

function readRoute({ db }: RecipeRouteDeps): AnyRoute {
  return route('GET /recipes/:recipeId', {
    summary: 'A recipe with its fields, its addresses and its markup',
    params: recipeId,
    query: ofOrganization,
    output: recipeShown,
    async handle({ params, query: { organization }, principal }) {
      requireMembership(principal, organization, 'read');
      const known = await findRecipe(db, organization, params.recipeId);
      if (known === undefined) throw refuse('not-found');
      return showRecipe(known);
    },
  });
}

function writeRoute(deps: RecipeRouteDeps): AnyRoute {
  return route('POST /recipes/', {
    summary: 'Make a recipe of markup and settings',
    audit: { action: 'recipe.added', on: 'organization' },
    status: 201,
    body: ofOrganization.extend(written.shape),
    output: recipeShown,
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ body: { organization, ...given }, principal }) {
      requireMembership(principal, organization, 'write');
      const imported = await importRecipe(deps, [organization, principal.accountId], filesOf(given));
      return keep(deps, organization, imported, { kind: 'written', from: '' });
    },
  });
}

function archiveRoute(deps: RecipeRouteDeps): AnyRoute {
  return route('POST /recipes/archive', {
    summary: 'Take in the recipe of a zip archive, as TRMNL exports one',
    audit: { action: 'recipe.added', on: 'organization' },
    status: 201,
    bodyType: 'multipart',
    bodyLimitBytes: maxArchiveBytes,
    files: { archive: { description: 'The archive' } },
    body: ofOrganization.extend({
      folder: z.string().max(200).describe('The folder, where there are several').optional(),
    }),
    output: recipeShown,
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ body: { organization, folder = '' }, files: [archive], principal }) {
      requireMembership(principal, organization, 'write');
      if (archive === undefined)
        throw refuse('invalid-request', { hint: reasonOf('field-needs-file', { field: 'archive' }) });
      const imported = await importRecipe(deps, [organization, principal.accountId], {
        from: { archive: await readContent(archive.content) },
        folder,
      });
      return keep(deps, organization, imported, { kind: 'archive', from: '' });
    },
  });
}

function addressRoute(deps: RecipeRouteDeps): AnyRoute {
  return route('POST /recipes/address', {
    summary: 'Take in the recipe at an address: a repository, a recipe of TRMNL’s catalogue, or an archive',
    audit: { action: 'recipe.added', on: 'organization' },
    status: 201,
    body: ofOrganization.extend({
      address: z.string().min(1).max(2_000).describe('An address, or the number of a recipe of TRMNL’s catalogue'),
      folder: z.string().max(200).describe('The folder, where there are several recipes').optional(),
    }),
    output: recipeShown,
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ body: { organization, address, folder }, principal }) {
      requireMembership(principal, organization, 'write');
      const archive = archiveAddress(address);
      if (archive === undefined) throw refuse('invalid-request', { hint: reasonOf('recipe-not-an-address') });
      const named = folder === undefined ? archive : { ...archive, folder };
      const imported = await importFrom(deps, [organization, principal.accountId], named);
      return keep(deps, organization, imported, { kind: archive.kind, from: address });
    },
  });
}

function changeRoute(deps: RecipeRouteDeps): AnyRoute {
  const { db, clock } = deps;
  return route('PUT /recipes/:recipeId', {
    summary: 'Change a recipe; papers that show it are drawn again',
    audit: { action: 'recipe.changed', on: 'organization' },
    params: recipeId,
    body: ofOrganization.extend(written.shape),
    output: recipeShown,
    async handle({ params, body: { organization, ...given }, principal }) {
      requireMembership(principal, organization, 'write');
      const { recipe } = await importRecipe(deps, [organization, principal.accountId], filesOf(given));
      const changed = await db<RecipeRow>('recipes')
        .where({ id: params.recipeId, organization_id: organization })
        .update({ name: nameOf(recipe), ...recipeColumns(recipe), updated_at: clock.now() });
      if (changed === 0) throw refuse('not-found');
      await changePapersOf(db, deps, { organizationId: organization, id: params.recipeId });
      deps.nudge();
      return showRecipe((await findRecipe(db, organization, params.recipeId)) as KnownRecipe);
    },
  });
}

function removeRoute({ db }: RecipeRouteDeps): AnyRoute {
  return route('DELETE /recipes/:recipeId', {
    summary: 'Remove a recipe; frames that show it keep their last picture',
    audit: { action: 'recipe.removed', on: 'organization' },
    params: recipeId,
    query: ofOrganization,
    async handle({ params, query: { organization }, principal }) {
      requireMembership(principal, organization, 'write');
      const removed = await db('recipes').where({ id: params.recipeId, organization_id: organization }).delete();
      if (removed === 0) throw refuse('not-found');
    },
  });
}

/** Returns the files of a recipe that somebody typed. */
function filesOf({ settings, shared, transform, views }: z.output<typeof written>) {
  const texts = {
    'settings.yml': settings,
    'shared.liquid': shared,
    'transform.js': transform,
    ...Object.fromEntries(Object.entries(views).map(([layout, text]) => [`${layout}.liquid`, text])),
  };
  const given = Object.entries(texts).filter(
    (file): file is [string, string] => file[1] !== undefined && file[1] !== '',
  );
  return { from: { files: Object.fromEntries(given) }, folder: '' };
}

const nameOf = ({ settings }: Imported['recipe']): string => settings.name.trim() || 'Recipe';

async function keep(
  { db, clock, random }: RecipeRouteDeps,
  organizationId: string,
  { recipe, licence }: Imported,
  { kind, from }: { readonly kind: SourceKind; readonly from: string },
) {
  await keepOrganization(db, organizationId);
  const [{ count = 0 } = {}] = await db('recipes').where({ organization_id: organizationId }).count({ count: '*' });
  if (Number(count) >= maxRecipes) throw refuse('conflict', { hint: reasonOf('many-recipes', { most: maxRecipes }) });
  const now = clock.now();
  const row: RecipeRow = newRow(recipesTables, 'recipes', {
    id: random.id(),
    organization_id: organizationId,
    name: nameOf(recipe),
    ...recipeColumns(recipe),
    source_kind: kind,
    source: from.slice(0, 2_000),
    licence,
    created_at: now,
    updated_at: now,
  });
  await db('recipes').insert(row);
  return showRecipe(knownRecipe(row));
}
