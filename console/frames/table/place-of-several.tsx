/** Where several frames hang: what they have in common stands in the form, and only what is changed there is written. */
import { useSignal } from '@preact/signals';
import { t } from '../../ground/words.ts';
import { changeMeta } from '../settings/change-meta.ts';
import { PlaceFields, placeNames, writePlace } from '../settings/place-fields.tsx';
import { changeSeveral } from './change-several.ts';
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
  const submit = () =>
    changeSeveral(devices, async ({ id, place }) => {
      const own = (name: (typeof placeNames)[number]) =>
        changed.includes(name) ? draft[name] : { value: place?.[name] ?? '' };
      const wanted = writePlace({ building: own('building'), floor: own('floor'), room: own('room') });
      const stood = await changeMeta(id, { place: wanted });
      return () => changeMeta(id, stood);
    });
  return (
    <SeveralDialog
      title={t('several.place')}
      yes={t('several.change', { count: devices.length })}
      isEmpty={changed.length === 0}
      submit={submit}
      close={close}
    >
      <PlaceFields place={draft} />
      <p class="note">{t('several.placeHint')}</p>
    </SeveralDialog>
  );
};
