/** The settings of a recipe (RC, section A2), read from its `settings.yml`. */
import { parse as parseYaml } from 'yaml';
import { copiedRecord, isRecord } from '../../../runtime/plain-record.ts';
import { type RecipeAuthor, type RecipeField, recipeAuthor, recipeFields } from './recipe-fields.ts';
import { isYes, type TextsByTag, textsByTag, writtenText } from './written.ts';

/** Where the data of a recipe come from. */
export type RecipeStrategy = 'polling' | 'static' | 'webhook';

/** Settings as they are written; addresses, headers and body are templates. */
export interface RecipeSettings {
  /** The id of TRMNL's catalogue; empty for none. */
  readonly id: string;
  readonly name: string;
  readonly strategy: RecipeStrategy;
  readonly addresses: string;
  readonly isPost: boolean;
  readonly headers: string;
  readonly body: string;
  /** JSON. */
  readonly data: string;
  readonly everyMinutes: number;
  readonly isDark: boolean;
  readonly isWithoutPadding: boolean;
  readonly frameworkVersion: string;
  readonly fields: readonly RecipeField[];
  readonly author: RecipeAuthor;
  /** Where people hang it: Papergate's own key, which recipes from elsewhere lack. */
  readonly rooms: readonly RecipeRoom[];
  /** Its name in other languages. */
  readonly texts: TextsByTag<'name'>;
}

/** The rooms by which recipes are found. */
export const recipeRooms = ['family', 'office', 'shop'] as const;
export type RecipeRoom = (typeof recipeRooms)[number];

/** Why settings are refused, by a code of `reasons/sentences/recipes.ts`. */
export class UnusableSettings extends Error {
  readonly code:
    | 'recipe-settings-unreadable'
    | 'recipe-data-unreadable'
    | 'recipe-needs-plugins'
    | 'recipe-needs-sign-in'
    | 'recipe-strategy-unknown'
    | 'recipe-data-unreadable';
  constructor(code: UnusableSettings['code']) {
    super(code);
    this.code = code;
  }
}

/** Some write a map where a text of JSON is meant. What is not an object stands below `data`, as with answers (RC-12). */
function jsonText(value: unknown, strategy: RecipeStrategy): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : writtenText(value).trim();
  if (text === '') return '{}';
  try {
    return isRecord(JSON.parse(text)) ? text : `{"data":${text}}`;
  } catch {
    // Others have a leftover of their form here, which nobody reads.
    if (strategy !== 'static') return '{}';
    throw new UnusableSettings('recipe-data-unreadable');
  }
}

function strategyOf(settings: Readonly<Record<string, unknown>>): RecipeStrategy {
  const strategy = writtenText(settings.strategy) || (writtenText(settings.polling_url) === '' ? 'static' : 'polling');
  if (strategy === 'plugin_merge') throw new UnusableSettings('recipe-needs-plugins');
  if (strategy !== 'polling' && strategy !== 'static' && strategy !== 'webhook') {
    throw new UnusableSettings('recipe-strategy-unknown');
  }
  return strategy;
}

/**
 * Reads settings. A bare list is the fields alone. Keys that nobody knows are left out (RC-6).
 * @throws UnusableSettings
 */
export function readSettingsFile(text: string): RecipeSettings {
  const read = parsed(text);
  const settings = Array.isArray(read) ? { custom_fields: read } : copiedRecord(read);
  if (isYes(settings.oauth_enabled)) throw new UnusableSettings('recipe-needs-sign-in');
  const strategy = strategyOf(settings);
  return {
    id: writtenText(settings.id),
    name: writtenText(settings.name).slice(0, 200),
    strategy,
    addresses: writtenText(settings.polling_url),
    isPost: writtenText(settings.polling_verb).toLowerCase() === 'post',
    headers: writtenText(settings.polling_headers),
    body: writtenText(settings.polling_body),
    data: jsonText(settings.static_data, strategy),
    everyMinutes: minutesOf(settings.refresh_interval),
    isDark: isYes(settings.dark_mode),
    isWithoutPadding: isYes(settings.no_screen_padding),
    frameworkVersion: writtenText(settings.framework_version),
    fields: recipeFields(settings.custom_fields),
    author: recipeAuthor(settings.custom_fields),
    rooms: roomsOf(settings.rooms),
    texts: textsByTag(settings, ['name']),
  };
}

const roomsOf = (given: unknown): readonly RecipeRoom[] =>
  recipeRooms.filter((room) => Array.isArray(given) && given.includes(room));

function parsed(text: string): unknown {
  try {
    const read: unknown = parseYaml(text, {
      maxAliasCount: 20,
      // A key that stands there twice counts as it stands there last.
      uniqueKeys: false,
      schema: 'core',
      prettyErrors: false,
      logLevel: 'error',
    });
    if (typeof read === 'object' && read !== null) return read;
  } catch {
    // Refused below.
  }
  throw new UnusableSettings('recipe-settings-unreadable');
}

const [shortest, usual, longest] = [5, 60, 1_440];

function minutesOf(value: unknown): number {
  const minutes = Number(writtenText(value));
  return Number.isFinite(minutes) && minutes > 0 ? Math.max(shortest, Math.min(longest, minutes)) : usual;
}
