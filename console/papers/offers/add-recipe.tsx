/** Takes in a recipe from elsewhere: by its address or number, or from a file. */
import { useSignal } from '@preact/signals';
import type { Schemas } from '../../../client/contract.ts';
import { callApi } from '../../ground/call-api.ts';
import { t } from '../../ground/words.ts';
import { Field } from '../../parts/forms/field.tsx';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { act } from '../../parts/messages.tsx';

interface AddProps {
  readonly organization: string;
  readonly choose: (recipe: Schemas['Recipe']) => void;
  readonly close: () => void;
}

/** Draws the form. */
export const AddRecipe = ({ organization, choose, close }: AddProps) => {
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
