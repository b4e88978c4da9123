/** Name, orientation, sleep and update windows, with what they cost the battery next to them. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { CheckField, ChoiceField } from '../../parts/forms/choice-field.tsx';
import { Field, Form } from '../../parts/forms/field.tsx';
import { act } from '../../parts/messages.tsx';
import { changeMeta } from '../settings/change-meta.ts';
import { PlaceFields, placeNames, readPlace, writePlace } from '../settings/place-fields.tsx';
import { SleepField } from '../settings/sleep-field.tsx';
import { type FormSchedule, readSchedule, writeSchedule } from '../settings/update-windows.ts';
import { WakesField } from '../settings/wakes-field.tsx';
import { WindowsField } from '../settings/windows-field.tsx';
import { saySaved } from './actions.tsx';
import { type AskedForecast, Forecast } from './forecast.tsx';
import type { DeviceRecord } from './frame-state.ts';

interface SettingsProps {
  readonly device: DeviceRecord;
  /** Whether it polls, and may be asked to prove its pictures soon. */
  readonly polls: boolean;
  readonly reload: () => Promise<void>;
}

/** The fields of the form. */
interface Draft {
  readonly name: Signal<string>;
  readonly place: Readonly<Record<(typeof placeNames)[number], Signal<string>>>;
  readonly orientation: Signal<string>;
  readonly sleep: Signal<string>;
  readonly wakes: Signal<string>;
  readonly schedule: Signal<FormSchedule>;
  readonly provesSoon: Signal<boolean>;
}

const defaultSleep = '3600';

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

type Fields = Readonly<Record<string, unknown>>;

/** The fields of the device's meta that the form shows, as it would write them. */
function fieldsOf({ name, place, orientation, sleep, wakes, schedule, provesSoon }: Draft) {
  const { value } = schedule;
  const hasWindows = value.enabled || value.windows.length + value.others.length > 0;
  return {
    name: name.value.trim(),
    place: writePlace(place),
    orientation: orientation.value,
    sleepTime: sleep.value,
    maxWakesPerDay: wakes.value,
    updateSchedule: hasWindows ? writeSchedule(value) : null,
    provesSoon: provesSoon.value,
  };
}

function askedOf(draft: Draft): AskedForecast {
  const { sleepTime, maxWakesPerDay, updateSchedule } = fieldsOf(draft);
  return { sleepTime, maxWakesPerDay, updateSchedule };
}

function fill({ name, place, orientation, sleep, wakes, schedule, provesSoon }: Draft, meta: Fields): void {
  name.value = textOf(meta.name);
  const stored = readPlace(meta.place);
  for (const part of placeNames) place[part].value = stored[part];
  orientation.value = meta.orientation === 'landscape' ? 'landscape' : 'portrait';
  sleep.value = textOf(meta.sleepTime) || defaultSleep;
  wakes.value = textOf(meta.maxWakesPerDay);
  schedule.value = readSchedule(meta.updateSchedule);
  provesSoon.value = meta.provesSoon === true || meta.provesSoon === 'true';
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The form's signals. They follow what is stored until the person changes something, and are kept from then on. */
function useDraft(device: DeviceRecord): { readonly draft: Draft; readonly stored: { current: Fields } } {
  const draft: Draft = {
    name: useSignal(''),
    place: { building: useSignal(''), floor: useSignal(''), room: useSignal('') },
    orientation: useSignal('portrait'),
    sleep: useSignal(defaultSleep),
    wakes: useSignal(''),
    schedule: useSignal(readSchedule(undefined)),
    provesSoon: useSignal(false),
  };
  const stored = useRef<Fields>(fieldsOf(draft));
  useEffect(() => {
    if (!isSame(fieldsOf(draft), stored.current)) return;
    fill(draft, device.meta);
    stored.current = fieldsOf(draft);
  }, [JSON.stringify(device.meta)]);
  return { draft, stored };
}

/** Draws the form. What is typed stays when saving fails, and is not overwritten by what comes in meanwhile. */
export const FrameSettings = ({ device, polls, reload }: SettingsProps) => {
  const { draft, stored } = useDraft(device);
  const write = async (fields: Fields): Promise<void> => {
    await changeMeta(device.id, fields);
    await reload();
  };
  const keep = (fields: Fields): void => {
    stored.current = fields;
  };
  const save = async (): Promise<void> => {
    const fields = fieldsOf(draft);
    const change = Object.fromEntries(
      Object.entries(fields).filter(([name, value]) => !isSame(value, stored.current[name])),
    );
    const before = Object.fromEntries(Object.keys(change).map((name) => [name, device.meta[name] ?? null]));
    if (await act(() => write(change).then(() => keep(fields)))) saySaved(() => write(before));
  };
  return (
    <Card id="settings" title={t('settings.title')}>
      <Form class="form" submit={save}>
        <Field label={t('settings.name')} value={draft.name} maxLength={200} />
        <PlaceFields place={draft.place} />
        <ChoiceField
          label={t('settings.orientation')}
          value={draft.orientation}
          choices={[
            ['portrait', t('settings.portrait')],
            ['landscape', t('settings.landscape')],
          ]}
        />
        <SleepField sleep={draft.sleep} hint={t('settings.sleepHint')} />
        <WakesField wakes={draft.wakes} />
        <WindowsField schedule={draft.schedule} />
        {polls && <CheckField label={t('settings.provesSoon')} value={draft.provesSoon} />}
        <Forecast id={device.id} asked={askedOf(draft)} />
        <div class="actions">
          <button type="submit" class="primary">
            {t('settings.save')}
          </button>
        </div>
      </Form>
    </Card>
  );
};
