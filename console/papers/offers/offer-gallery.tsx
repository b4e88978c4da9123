/** The gallery of what new content can be made of: pictures of it, found by words and by the room that it is for. */
import { useSignal } from '@preact/signals';
import { callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { goTo, hrefOf, query } from '../../ground/router.ts';
import { organizationId } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { Field } from '../../parts/forms/field.tsx';
import { foundByWords } from '../../parts/found-by-words.ts';
import { Loading, ProblemBox } from '../../parts/states.tsx';
import { AddRecipe } from './add-recipe.tsx';
import {
  integrationOffer,
  kindOffers,
  type ListedIntegration,
  type ListedRecipe,
  type Offer,
  type Room,
  recipeOffer,
  rooms,
} from './offers.ts';
import { PublicRecipes } from './public-recipes.tsx';
import { Tile } from './tile.tsx';

const placeOf = (chosen: Readonly<Record<string, string>>): string => {
  const frame = query.peek().get('frame');
  return `papers/new?${new URLSearchParams({ ...chosen, ...(frame !== null && { frame }) })}`;
};

/** The recipes of the organization and of the service, and the integrations of catalogues: those may come late, or not at all. */
function useListed() {
  const organization = organizationId.value;
  const recipes = useResource<readonly ListedRecipe[]>(
    (signal) => callApi('GET /recipes/', { query: { organization }, signal }),
    [organization],
  );
  const integrations = useResource<readonly ListedIntegration[]>(async (signal) => {
    const { catalogues } = await callApi('GET /v1/integration-papers/catalogues', { signal });
    return catalogues.flatMap((catalogue) => catalogue.integrations);
  }, []);
  return { recipes, integrations };
}

/** Draws the gallery. */
export const OfferGallery = () => {
  const { recipes, integrations } = useListed();
  const typed = useSignal('');
  const room = useSignal<Room | undefined>(undefined);
  const isAdding = useSignal(false);
  if (recipes.value === undefined && recipes.problem === undefined) return <Loading />;
  const offers = [
    ...(recipes.value ?? []).map(recipeOffer),
    ...kindOffers(),
    ...(integrations.value ?? []).map(integrationOffer),
  ];
  const fitting = foundByWords(offers, typed.value, searchedText).filter((offer) => isFor(offer, room.value));
  return (
    <>
      <div class="offer-search">
        <Field type="search" label={t('papers.searchOffers')} value={typed} />
        <fieldset class="rooms">
          <legend class="visually-hidden">{t('papers.room')}</legend>
          {[undefined, ...rooms].map((name) => (
            <button
              key={name ?? ''}
              type="button"
              aria-pressed={room.value === name}
              onClick={() => {
                room.value = name;
              }}
            >
              {t(name === undefined ? 'papers.room.all' : `papers.room.${name}`)}
            </button>
          ))}
        </fieldset>
      </div>
      {recipes.problem !== undefined && <ProblemBox problem={recipes.problem} again={() => void recipes.reload()} />}
      {fitting.length === 0 && <p class="note">{t('recipes.none')}</p>}
      <ul class="offers">
        {fitting.map((offer) => (
          <li key={offer.key}>
            <Tile offer={offer} href={hrefOf(placeOf(offer.query))} />
          </li>
        ))}
      </ul>
      <p>
        <button
          type="button"
          onClick={() => {
            isAdding.value = true;
          }}
        >
          {t('recipes.add')}
        </button>
      </p>
      <PublicRecipes
        organization={organizationId.value}
        choose={({ id }) => goTo(placeOf({ kind: 'recipe', recipe: id }))}
      />
      {isAdding.value && (
        <AddRecipe
          organization={organizationId.value}
          choose={({ id }) => goTo(placeOf({ kind: 'recipe', recipe: id }))}
          close={() => {
            isAdding.value = false;
          }}
        />
      )}
    </>
  );
};

const searchedText = ({ name, line }: Offer): string => `${name} ${line}`;

const isFor = ({ rooms: own }: Offer, room: Room | undefined): boolean =>
  room === undefined || own === undefined || own.includes(room);
