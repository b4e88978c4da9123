/** The tables of recipes: those that an organization has, and the data of papers that show one. */
import { laterTables, type Migration } from '../../../runtime/database/migration.ts';
import { defineTable } from '../../../runtime/database/table.ts';

/** The recipes that were imported or written here. */
const recipes = defineTable(
  'recipes',
  {
    id: 'text primary key',
    organization_id: 'text not null references organizations(id) on delete cascade',
    name: 'text not null',
    // JSON, as `package/recipe-settings.ts` reads it.
    settings: 'text not null',
    // JSON: the markup by layout.
    views: 'text not null',
    // A program in JavaScript.
    transform: 'text',
    // The way it came here, and the address or the file it came from.
    source_kind: 'text not null',
    source: 'text not null',
    // As its source names it; empty where it names none.
    licence: 'text not null',
    created_at: 'integer not null',
    updated_at: 'integer not null',
  },
  ['create index recipes_by_organization on recipes (organization_id, created_at)'],
);

/** The last answers of the sources of a paper's recipe. Times are epoch milliseconds. */
const recipeData = defineTable(
  'recipe_data',
  {
    paper_id: 'text primary key references papers(id) on delete cascade',
    // What it was asked with: other settings of the paper or the recipe have other data.
    asked_as: 'text not null',
    polled_at: 'integer not null',
    // When it is polled next, where a frame shows it; null for data that are sent here.
    poll_due_at: 'integer',
    // A JSON list, one item for each address.
    answers: 'text not null',
    // JSON of an object; null before there were any.
    data: 'text',
    // When the data were last other ones.
    changed_at: 'integer',
    // Since when one of its addresses has not answered; null while all do.
    failing_since: 'integer',
    // Why the recipe's program failed; null when it did not.
    failed: 'text',
    // The hosts that its secrets may be sent to: those it asked when they were typed.
    hosts: 'text',
  },
  [
    'create index recipe_data_failing on recipe_data (failing_since) where failing_since is not null',
    'create index recipe_data_due on recipe_data (poll_due_at) where poll_due_at is not null',
  ],
);

/** The addresses to which data of a recipe are sent. */
const recipeHooks = defineTable('recipe_hooks', {
  paper_id: 'text primary key references papers(id) on delete cascade',
  token_hash: 'text not null unique',
  token_sealed: 'text not null',
  created_at: 'integer not null',
  received_at: 'integer',
});

/** The tables of this subject. */
export const recipesTables = [recipes, recipeData, recipeHooks] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const recipeMigrations: readonly Migration[] = [laterTables('recipes', recipesTables)];
