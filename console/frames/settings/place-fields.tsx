/** Where a frame hangs: building, floor and room. Places that other frames have are offered while one types. */
import { useId } from 'preact/hooks';
import { fleet } from '../../ground/fleet.ts';
import { t } from '../../ground/words.ts';
import type { Bound } from '../../parts/bound.ts';
import { Field } from '../../parts/forms/field.tsx';
import { byNature } from '../../parts/natural-order.ts';

/** The parts of a place, the largest first. */
export const placeNames = ['building', 'floor', 'room'] as const;

/** A place as a form holds it: empty texts for what is unknown. */
export type PlaceDraft = Readonly<Record<(typeof placeNames)[number], Bound<string>>>;

/** More are not offered: anyone who looks for another types it. */
const maxOffered = 100;
const maxLetters = 80;

/** Reads a place out of a device's meta, as texts of a form. */
export function readPlace(place: unknown): Readonly<Record<(typeof placeNames)[number], string>> {
  const known = (typeof place === 'object' && place !== null ? place : {}) as Readonly<Record<string, unknown>>;
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  return { building: textOf(known.building), floor: textOf(known.floor), room: textOf(known.room) };
}

/** Returns the place in a form, as the meta stores it; null for no place. */
export function writePlace(draft: PlaceDraft): Readonly<Record<string, string>> | null {
  const texts = placeNames.map((name) => [name, draft[name].value.trim()] as const).filter(([, text]) => text !== '');
  return texts.length === 0 ? null : Object.fromEntries(texts);
}

/** Draws the three fields. */
export const PlaceFields = ({ place }: { readonly place: PlaceDraft }) => {
  const id = useId();
  return (
    <fieldset class="place">
      <legend>{t('place.title')}</legend>
      <div class="place-fields">
        {placeNames.map((name) => (
          <Field
            key={name}
            label={t(`place.${name}`)}
            value={place[name]}
            list={`${id}-${name}`}
            maxLength={maxLetters}
          />
        ))}
      </div>
      {placeNames.map((name) => (
        <datalist key={name} id={`${id}-${name}`}>
          {offered(name).map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      ))}
    </fieldset>
  );
};

function offered(name: (typeof placeNames)[number]): string[] {
  const all = new Set([...fleet.value.values()].flatMap(({ place }) => place?.[name] ?? []));
  return [...all].sort(byNature).slice(0, maxOffered);
}
