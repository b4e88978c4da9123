/** Where several frames hang: what they have in common stands in the form, and only what is changed there is written. */
import { useSignal } from '@preact/signals';
import { t } from '../../ground/words.ts';
import { Field } from '../../parts/forms/field.tsx';
import { act } from '../../parts/messages.tsx';
import { startJob } from '../jobs/known-jobs.ts';
import { PlaceFields, placeNames } from '../settings/place-fields.tsx';
import { SeveralDialog, type SeveralProps } from './several-dialog.tsx';

/** Draws the form. */
export const PlaceOfSeveral = ({ devices, close }: SeveralProps) => {
  const common = (name: (typeof placeNames)[number]): string => {
    const all = new Set(devices.map(({ place }) => place?.[name] ?? ''));
    return all.size === 1 ? ([...all][0] ?? '') : '';
  };
  const before = useSignal({ building: common('building'), floor: common('floor'), room: common('room') }).value;
  const draft = { building: useSignal(before.building), floor: useSignal(before.floor), room: useSignal(before.room) };
  const changed = placeNames.filter((name) => draft[name].value.trim() !== before[name]);
  const [addTag, removeTag] = [useSignal(''), useSignal('')];
  const tagsOf = ({ value }: { readonly value: string }) => (value.trim() === '' ? [] : [value.trim()]);
  const [addTags, removeTags] = [tagsOf(addTag), tagsOf(removeTag)];
  const submit = () => {
    const parts = Object.fromEntries(changed.map((name) => [name, draft[name].value.trim() || null]));
    const meta = changed.length === 0 ? {} : { meta: { place: parts } };
    return act(() => startJob({ ...meta, addTags, removeTags, devices: devices.map(({ id }) => id) }));
  };
  return (
    <SeveralDialog
      title={t('several.place')}
      yes={t('several.change', { count: devices.length })}
      isEmpty={changed.length + addTags.length + removeTags.length === 0}
      submit={submit}
      close={close}
    >
      <PlaceFields place={draft} />
      <Field label={t('several.addTag')} value={addTag} maxLength={40} />
      <Field label={t('several.removeTag')} value={removeTag} maxLength={40} />
      <p class="note">{t('several.placeHint')}</p>
    </SeveralDialog>
  );
};
