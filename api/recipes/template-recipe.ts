/** A template with a data address: a recipe that stands in its paper's meta, without fields and for one screen. */
import { isRecord } from '../../runtime/plain-record.ts';
import type { KnownRecipe } from './known-recipe.ts';

const [shortest, usual, longest] = [5, 60, 1_440];
const maxLetters = 262_144;

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, maxLetters) : '');

/** Returns the recipe of a template; undefined for a meta without one. */
export function templateRecipe({ template, title }: Readonly<Record<string, unknown>>): KnownRecipe | undefined {
  if (!isRecord(template)) return undefined;
  const minutes = Number(template.everyMinutes);
  const everyMinutes = Number.isFinite(minutes) && minutes > 0 ? Math.min(longest, Math.max(shortest, minutes)) : usual;
  const addresses = textOf(template.addresses);
  const name = typeof title === 'string' ? title : '';
  return {
    id: '',
    name,
    recipe: {
      settings: {
        id: '',
        name,
        strategy: addresses.trim() === '' ? 'static' : 'polling',
        addresses,
        isPost: template.isPost === true,
        headers: textOf(template.headers),
        body: textOf(template.body),
        data: '{}',
        everyMinutes,
        isDark: false,
        isWithoutPadding: false,
        frameworkVersion: '',
        fields: [],
        author: { description: '', category: '', address: '', texts: {} },
        rooms: [],
        texts: {},
      },
      views: { full: textOf(template.markup) },
    },
    source: { kind: 'written', from: '', licence: '' },
    updatedAt: null,
  };
}
