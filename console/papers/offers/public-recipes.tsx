/** The search of TRMNL's public list of recipes, where the operator of the service allows it. */
import { useSignal } from '@preact/signals';
import type { Schemas } from '../../../client/contract.ts';
import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { saidText } from '../../ground/said.ts';
import { t } from '../../ground/words.ts';
import { Field } from '../../parts/forms/field.tsx';
import { act } from '../../parts/messages.tsx';
import { Loading, ProblemBox } from '../../parts/states.tsx';

type Found = AnswerOf<'GET /recipes/public'>;

interface PublicRecipesProps {
  readonly organization: string;
  readonly choose: (recipe: Pick<Schemas['ListedRecipe'], 'id' | 'name'>) => void;
}

/** Draws the search; a recipe that is chosen is taken in first. Nothing is asked before somebody searches. */
export const PublicRecipes = ({ organization, choose }: PublicRecipesProps) => {
  const typed = useSignal('');
  const asked = useSignal<string | undefined>(undefined);
  return (
    <details>
      <summary>{t('publicRecipes.title')}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          asked.value = typed.peek().trim();
        }}
      >
        <Field type="search" label={t('publicRecipes.search')} hint={t('publicRecipes.hint')} value={typed} />
        <p>
          <button type="submit">{t('publicRecipes.do')}</button>
        </p>
      </form>
      {asked.value !== undefined && <Results organization={organization} search={asked.value} choose={choose} />}
    </details>
  );
};

const Results = ({ organization, search, choose }: PublicRecipesProps & { readonly search: string }) => {
  const { value, problem, reload } = useResource<Found>(
    (signal) => callApi('GET /recipes/public', { query: { organization, search }, signal }),
    [organization, search],
  );
  if (problem !== undefined) return <ProblemBox problem={problem} again={() => void reload()} />;
  if (value === undefined) return <Loading />;
  if (!value.isAllowed) return <p class="note">{t('publicRecipes.notAllowed')}</p>;
  if (value.problem !== undefined) {
    return (
      <p class="warn" role="alert">
        {saidText(value.problems, value.problem)}
      </p>
    );
  }
  const takeIn = (address: string): Promise<unknown> =>
    act(
      async () => choose(await callApi('POST /recipes/address', { body: { organization, address } })),
      t('recipes.added'),
    );
  return (
    <>
      <p class="note">{t('publicRecipes.found', { count: value.total })}</p>
      <ul class="recipes">
        {value.recipes.map((recipe) => (
          <li key={recipe.id}>
            <button type="button" onClick={() => void takeIn(recipe.id)}>
              <strong dir="auto">{recipe.name}</strong>
              <span class="note" dir="auto">
                {recipe.description}
              </span>
              <span class="note">{recipe.licence || t('recipes.noLicence')}</span>
              {recipe.author !== '' && (
                <span class="note" dir="ltr">
                  {recipe.author}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
};
