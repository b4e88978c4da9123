/** The choice of a recipe: those that the service brings along, those of the organization, and ones that are taken in. */
import { useSignal } from '@preact/signals';
import { callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { t } from '../../ground/words.ts';
import { Field } from '../../parts/forms/field.tsx';
import { foundByWords } from '../../parts/found-by-words.ts';
import { Loading, ProblemBox } from '../../parts/states.tsx';
import { AddRecipe } from '../offers/add-recipe.tsx';
import { type ListedRecipe, recipeOffer } from '../offers/offers.ts';
import { Tile } from '../offers/tile.tsx';

interface ChoiceProps {
  readonly organization: string;
  readonly choose: (recipe: { readonly id: string; readonly name: string }) => void;
  /** Begins a template of one's own. */
  readonly write: () => void;
}

/** Draws the choice. */
export const RecipeChoice = ({ organization, choose, write }: ChoiceProps) => {
  const typed = useSignal('');
  const isAdding = useSignal(false);
  const found = useResource<readonly ListedRecipe[]>(
    (signal) => callApi('GET /recipes/', { query: { organization }, signal }),
    [organization],
  );
  if (found.problem !== undefined) return <ProblemBox problem={found.problem} again={() => void found.reload()} />;
  if (found.value === undefined) return <Loading />;
  const fitting = foundByWords(found.value.map(recipeOffer), typed.value, ({ name, line }) => `${name} ${line}`);
  return (
    <div class="part">
      <Field type="search" label={t('recipes.search')} value={typed} />
      <ul class="offers">
        {fitting.map((offer) => (
          <li key={offer.key}>
            <Tile offer={offer} choose={() => choose({ id: offer.key, name: offer.name })} />
          </li>
        ))}
      </ul>
      {fitting.length === 0 && <p class="note">{t('recipes.none')}</p>}
      <div class="actions">
        <button
          type="button"
          onClick={() => {
            isAdding.value = true;
          }}
        >
          {t('recipes.add')}
        </button>
        <button type="button" onClick={write}>
          {t('template.begin')}
        </button>
      </div>
      {isAdding.value && (
        <AddRecipe
          organization={organization}
          choose={choose}
          close={() => {
            isAdding.value = false;
          }}
        />
      )}
    </div>
  );
};
