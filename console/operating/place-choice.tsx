/** The places whose frames a channel reports on: everywhere, or some buildings alone. */
import type { Signal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { fleet } from '../ground/fleet.ts';
import { t } from '../ground/words.ts';
import { byNature } from '../parts/natural-order.ts';

type Place = NonNullable<Schemas['AlertChannel']['places']>[number];

/** The places that are chosen; null for everywhere. */
export type PlacesWish = Signal<readonly Place[] | null>;

const wordOf = ({ building, floor, room }: Place): string => [building, floor, room].filter(Boolean).join(' › ');

/** The buildings that frames hang in, and what was chosen by a program. */
function offered(chosen: readonly Place[]): readonly Place[] {
  const buildings = new Set([...fleet.value.values()].flatMap(({ place }) => place?.building ?? []));
  for (const { building, floor, room } of chosen) if (building && !floor && !room) buildings.add(building);
  const others = chosen.filter(({ building, floor, room }) => !building || floor || room);
  return [...[...buildings].sort(byNature).map((building) => ({ building })), ...others];
}

/** Draws the choice; where no frame has a building there is none. */
export const PlaceChoice = ({ places }: { readonly places: PlacesWish }) => {
  const chosen = places.value ?? [];
  const all = offered(chosen);
  if (all.length === 0) return null;
  const has = (place: Place): boolean => chosen.some((one) => wordOf(one) === wordOf(place));
  return (
    <fieldset class="field">
      <legend>{t('alerts.where')}</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={places.value === null}
          onChange={(event) => {
            places.value = event.currentTarget.checked ? null : all;
          }}
        />
        <span>{t('alerts.everywhere')}</span>
      </label>
      {places.value !== null &&
        all.map((place) => (
          <label key={wordOf(place)} class="check">
            <input
              type="checkbox"
              checked={has(place)}
              // One that reports nothing is turned off instead.
              disabled={chosen.length === 1 && has(place)}
              onChange={(event) => {
                const isWanted = event.currentTarget.checked;
                places.value = all.filter((one) => (wordOf(one) === wordOf(place) ? isWanted : has(one)));
              }}
            />
            <span dir="auto">{wordOf(place)}</span>
          </label>
        ))}
      {places.value !== null && <p class="note">{t('alerts.whereHint')}</p>}
    </fieldset>
  );
};

/** The places in one line. */
export const placesLine = (places: readonly Place[]): string => places.map(wordOf).join(', ');
