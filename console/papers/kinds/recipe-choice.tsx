/** The choice of a recipe: those that the service brings along, those of the organization, and ones that are taken in. */
import { useSignal } from '@preact/signals';
import type { Schemas } from '../../../client/contract.ts';
import { callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { t } from '../../ground/words.ts';
import { Field } from '../../parts/forms/field.tsx';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { foundByWords } from '../../parts/found-by-words.ts';
import { act } from '../../parts/messages.tsx';
import { Loading, ProblemBox } from '../../parts/states.tsx';
import { PublicRecipes } from './public-recipes.tsx';

type Listed = Schemas['ListedRecipe'];

interface ChoiceProps {
  readonly organization: string;
  readonly choose: (recipe: Pick<Listed, 'id' | 'name'>) => void;
}

/** Draws the choice. */
export const RecipeChoice = ({
  organization,
  choose,
  write,
}: ChoiceProps & {
  /** Begins a template of one's own. */
  readonly write: () => void;
}) => {
  const typed = useSignal('');
  const isAdding = useSignal(false);
  const found = useResource<readonly Listed[]>(
    (signal) => callApi('GET /recipes/', { query: { organization }, signal }),
    [organization],
  );
  if (found.problem !== undefined) return <ProblemBox problem={found.problem} again={() => void found.reload()} />;
  if (found.value === undefined) return <Loading />;
  const fitting = foundByWords(found.value, typed.value, ({ name, description }) => `${name} ${description}`);
  return (
    <div class="part">
      <Field type="search" label={t('recipes.search')} value={typed} />
      <ul class="recipes">
        {fitting.map((recipe) => (
          <li key={recipe.id}>
            <button type="button" onClick={() => choose(recipe)}>
              <strong dir="auto">{recipe.name}</strong>
              <span class="note" dir="auto">
                {recipe.description}
              </span>
              {recipe.source.kind !== 'own' && (
                <span class="note">{recipe.source.licence || t('recipes.noLicence')}</span>
              )}
            </button>
          </li>
        ))}
      </ul>
      {fitting.length === 0 && <p class="note">{t('recipes.none')}</p>}
      <p>
        <button
          type="button"
          onClick={() => {
            isAdding.value = true;
          }}
        >
          {t('recipes.add')}
        </button>{' '}
        <button type="button" onClick={write}>
          {t('template.begin')}
        </button>
      </p>
      <PublicRecipes organization={organization} choose={choose} />
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

/** Takes in a recipe by its address or number, or from a file. */
const AddRecipe = ({ organization, choose, close }: ChoiceProps & { readonly close: () => void }) => {
  const address = useSignal('');
  const folder = useSignal('');
  const archive = useSignal<File | undefined>(undefined);
  const add = async (): Promise<void> => {
    await act(async () => {
      const recipe = await takeIn(organization, {
        address: address.peek(),
        folder: folder.peek(),
        archive: archive.peek(),
      });
      choose(recipe);
      close();
    }, t('recipes.added'));
  };
  return (
    <FormDialog
      title={t('recipes.add')}
      yes={t('recipes.addDo')}
      isEmpty={address.value.trim() === '' && archive.value === undefined}
      submit={add}
      close={close}
    >
      <Field label={t('recipes.address')} hint={t('recipes.addressHint')} value={address} />
      <label class="field">
        {t('recipes.archive')}
        <input
          type="file"
          accept=".zip,application/zip"
          onChange={({ currentTarget }) => {
            archive.value = currentTarget.files?.[0];
          }}
        />
      </label>
      <Field label={t('recipes.folder')} hint={t('recipes.folderHint')} value={folder} />
      <p class="note">{t('recipes.addNote')}</p>
    </FormDialog>
  );
};

interface Given {
  readonly address: string;
  readonly folder: string;
  readonly archive: File | undefined;
}

function takeIn(organization: string, { address, folder, archive }: Given): Promise<Schemas['Recipe']> {
  const where = folder.trim() === '' ? {} : { folder: folder.trim() };
  if (archive === undefined) {
    return callApi('POST /recipes/address', { body: { organization, address: address.trim(), ...where } });
  }
  return callApi('POST /recipes/archive', { form: { organization, archive, ...where } });
}
