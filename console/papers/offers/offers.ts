/** The offers of new content: recipes, kinds of content, and integrations, each as one thing that can be had. */
import type { Schemas } from '../../../client/contract.ts';
import { apiBase } from '../../ground/base.ts';
import type { AnswerOf } from '../../ground/call-api.ts';
import { type OfferedKind, offeredKinds, traitsOf } from '../../ground/paper-kinds.ts';
import { t } from '../../ground/words.ts';
import { recipeText } from './recipe-texts.ts';

/** A recipe as lists have it. */
export type ListedRecipe = Schemas['ListedRecipe'];
/** An integration of a catalogue. */
export type ListedIntegration =
  AnswerOf<'GET /v1/integration-papers/catalogues'>['catalogues'][number]['integrations'][number];
/** Where people hang it. */
export type Room = ListedRecipe['rooms'][number];

/** The rooms, in the order of their buttons. */
export const rooms: readonly Room[] = ['family', 'office', 'shop'];

/** The mark of a template in the place of a recipe's id. */
export const ownTemplate = 'template';

/** One thing that can be had. */
export interface Offer {
  readonly key: string;
  readonly name: string;
  /** One line about it. */
  readonly line: string;
  /** The address of a picture of it; without one, an icon stands there. */
  readonly picture?: string | undefined;
  readonly icon: string;
  /** The rooms that it is for; undefined for all. */
  readonly rooms?: readonly Room[];
  /** Its place in the query of new content. */
  readonly query: Readonly<Record<string, string>>;
}

/** Returns recipes as offers; those from elsewhere say their licence. */
export const recipeOffer = (recipe: ListedRecipe): Offer => ({
  key: recipe.id,
  name: recipeText(recipe, 'name'),
  line:
    recipeText(recipe, 'description') ||
    (recipe.source.kind === 'own' ? '' : recipe.source.licence || t('recipes.noLicence')),
  picture: recipe.picture === null ? undefined : new URL(recipe.picture, apiBase).href,
  icon: 'live',
  ...(recipe.source.kind === 'own' && { rooms: recipe.rooms }),
  query: { kind: 'recipe', recipe: recipe.id },
});

const kindOffer = (kind: OfferedKind): Offer => ({
  key: kind,
  name: t(`papers.kind.${kind}`),
  line: t(`papers.kindHint.${kind}`),
  icon: traitsOf(kind).icon,
  query: { kind },
});

/** Returns the kinds of content as offers; a recipe stands there by itself, and writing one is an offer of its own. */
export const kindOffers = (): readonly Offer[] => [
  ...offeredKinds.filter((kind) => kind !== 'recipe').map(kindOffer),
  {
    key: ownTemplate,
    name: t('template.begin'),
    line: t('template.beginHint'),
    icon: 'braces',
    query: { kind: 'recipe', recipe: ownTemplate },
  },
];

/** Returns an integration of a catalogue as an offer. */
export const integrationOffer = ({ name, description, publisher, picture, configUrl }: ListedIntegration): Offer => ({
  key: configUrl,
  name,
  line: description ?? publisher ?? t('papers.kind.plugin'),
  picture,
  icon: 'puzzle',
  query: { kind: 'plugin', integration: configUrl },
});
