/** The coming events, in a sentence for each place, and the button that does it: always in sight, with the name. */
import { signal } from '@preact/signals';
import { now } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { filesOpening } from '../parts/drafts/drafts.ts';
import { atOnce, timesTrouble } from '../parts/drafts/show-times.ts';
import { ChoiceField } from '../parts/forms/choice-field.tsx';
import { Icon } from '../parts/icon.tsx';
import { whatHappens } from './place-tiles.tsx';
import { commonPlaces, isForEach, rememberPlaces } from './places.ts';
import { type Plan, type PlannedShow, planSending } from './plan.ts';
import type { Slideshow } from './sendings.ts';
import { albumJoined, albumsFor, joined, showTitleOf } from './show-choice.ts';
import { startSending } from './start-sending.ts';
import type { Target } from './targets.ts';

/** How often pictures that take turns change: hours by their number. */
const paces = ['day', 'wake', '1', '3', '6', '12'] as const;
const pace = signal<string>('day');

const everyOf = (chosen: string): Slideshow['every'] =>
  chosen === 'day' || chosen === 'wake' ? chosen : Number(chosen);

const nameOf = ({ name }: Target): string => name || t('frame.noName');

/** Draws it. */
export const SendBar = () => {
  const plan = planSending();
  const count = plan.pictures.length;
  const reason = reasonAgainst(plan);
  const [only] = plan.places;
  const label =
    plan.places.length === 1 && only !== undefined
      ? t('send.sendTo', { count, name: nameOf(only) })
      : count === 0
        ? t('send.sendNone')
        : t('send.sendToMany', { count, places: plan.places.length });
  const send = (): void => {
    if (isForEach.peek()) rememberPlaces([...new Set(plan.places.map(({ id }) => id))]);
    else rememberPlaces(commonPlaces.peek());
    void startSending(plan, ({ target }) => ({
      every: everyOf(pace.peek()),
      title: showTitleOf(target),
      albumId: albumJoined(target)?.id,
    }));
    joined.value = new Map();
  };
  return (
    <>
      <Happenings plan={plan} />
      <div class="send-bar">
        <button
          type="button"
          class="primary"
          disabled={reason !== undefined}
          aria-describedby={reason === undefined ? undefined : 'send-reason'}
          onClick={send}
        >
          <Icon name="send" />
          <span>{label}</span>
        </button>
        <p class="note" id="send-reason" role="status">
          {reason ?? ''}
        </p>
      </div>
    </>
  );
};

/** Why nothing can be sent as it is; undefined when all is well. */
function reasonAgainst({ pictures, trouble }: Plan): string | undefined {
  // Anyone who chose five pictures means all five.
  if (filesOpening.value > 0) return t('send.opening', { count: filesOpening.value });
  if (pictures.length === 0) return t('send.chooseWhere');
  if (trouble !== undefined) {
    return t(`send.trouble.${trouble.code}`, { name: trouble.name, other: trouble.other ?? '' });
  }
  const wrong = pictures
    .map(({ draft }) => timesTrouble(draft.times.value, now.value))
    .find((one) => one !== undefined);
  return wrong === undefined ? undefined : t(`send.times.${wrong}`);
}

/** Draws the events at each place; pictures that take turns say how often they change. */
const Happenings = ({ plan: { pictures, shows, places } }: { readonly plan: Plan }) => {
  if (places.length === 0) return null;
  const shown = new Set(shows.map(({ target }) => target.id));
  return (
    <section class="happenings" aria-label={t('send.whatHappens')}>
      {shows.map((show) => (
        <ShowLine key={show.target.id} show={show} />
      ))}
      {shows.some(({ target }) => albumJoined(target) === undefined) && (
        <ChoiceField label={t('send.every')} value={pace} choices={paces.map((one) => [one, paceWords(one)])} />
      )}
      <ul>
        {places
          .filter(({ id }) => !shown.has(id))
          .map((target) => {
            const { draft } = pictures.find(({ targets }) => targets.some(({ id }) => id === target.id)) ?? {};
            return (
              <li key={target.id}>
                <strong dir="auto">{nameOf(target)}</strong>
                <span class="note">{whatHappens(target, draft?.times.value ?? atOnce)}</span>
              </li>
            );
          })}
      </ul>
    </section>
  );
};

function paceWords(one: (typeof paces)[number]): string {
  if (one === 'day') return t('send.every.day');
  return one === 'wake' ? t('send.every.wake') : t('send.every.hours', { count: Number(one) });
}

const ShowLine = ({ show: { target, drafts } }: { readonly show: PlannedShow }) => {
  const albums = albumsFor(target);
  const chosen = {
    get value() {
      return joined.value.get(target.id) ?? '';
    },
    set value(albumId: string) {
      joined.value = new Map(joined.peek()).set(target.id, albumId);
    },
  };
  return (
    <>
      <p class="show-line">
        <Icon name="rotate" />
        <span>{t('send.takeTurns', { count: drafts.length, name: nameOf(target) })}</span>
      </p>
      {albums.length > 0 && (
        <ChoiceField
          label={t('send.showIn', { name: nameOf(target) })}
          value={chosen}
          choices={[
            ['', t('send.showNew')],
            ...albums.map(({ id, title }) => [id, t('send.showJoin', { title })] as const),
          ]}
        />
      )}
    </>
  );
};
