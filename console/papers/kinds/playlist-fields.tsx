/** The settings of a playlist: papers with days, times and durations. */
import { language, t } from '../../ground/words.ts';
import { bound } from '../../parts/bound.ts';
import { ChoiceField } from '../../parts/forms/choice-field.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { paperChoices } from '../../parts/forms/paper-choices.ts';
import { SearchChoice } from '../../parts/forms/search-choice.tsx';
import { OrderedList } from '../draft/ordered-list.tsx';
import type { PaperDraft } from '../draft/paper-draft.ts';
import {
  type EntryForm,
  endOf,
  entryWeekdays,
  newEntry,
  type Repeat,
  readEntry,
  type StoredEntry,
  until,
  type Weekday,
  writeEntry,
} from './playlist-entry.ts';
import { PlaylistWeek } from './playlist-week.tsx';
import { AddPaper, PaperName, showable, titleOf } from './slides-fields.tsx';

function entriesOf(stored: unknown): readonly StoredEntry[] {
  return Array.isArray(stored) ? stored.filter((entry) => typeof entry === 'object' && entry !== null) : [];
}

/** Draws the entries and the choice of further ones. */
export const PlaylistFields = ({ draft }: { readonly draft: PaperDraft }) => {
  const entries = entriesOf(draft.get('playlistEntries'));
  const zone = zoneOf(draft);
  const put = (next: readonly StoredEntry[]): void => draft.set('playlistEntries', next);
  const dayThere = new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(new Date());
  return (
    <div class="part">
      <h3>{t('playlist.title')}</h3>
      <p class="note">{t('playlist.hint', { zone })}</p>
      {entries.length === 0 && <p class="note">{t('playlist.empty')}</p>}
      <OrderedList
        items={entries}
        label={t('playlist.title')}
        keyOf={(_entry, place) => String(place)}
        nameOf={({ paperId }) => titleOf(String(paperId))}
        draw={(entry, place) => (
          <Entry
            form={readEntry(entry, zone)}
            organization={draft.base.value.organization}
            change={(form, change) =>
              put(entries.map((one, other) => (other === place ? writeEntry(one, form, change) : one)))
            }
          />
        )}
        change={put}
      />
      <AddPaper
        organization={draft.base.value.organization}
        label={t('playlist.add')}
        without={[]}
        add={(id) => {
          // Asked again: a new one is made while others may change the list.
          const now = entriesOf(draft.get('playlistEntries'));
          const last = now.at(-1);
          put([...now, newEntry(id, dayThere, last && readEntry(last, zone))]);
        }}
      />
      {entries.length > 0 && (
        <PlaylistWeek draft={draft} zone={zone} titles={entries.map(({ paperId }) => titleOf(String(paperId)))} />
      )}
    </div>
  );
};

/** The paper's zone; one that does not exist counts as none, until the service refuses it. */
function zoneOf(draft: PaperDraft): string {
  const named = draft.text('timezone');
  try {
    return new Intl.DateTimeFormat('en', { timeZone: named || 'UTC' }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

const minutesOfDay = 1_440;

const repeats: readonly Repeat[] = ['once', 'daily', 'weekly', 'own'];

const Entry = ({
  form,
  change,
  organization,
}: {
  readonly form: EntryForm;
  readonly organization: string;
  readonly change: (form: EntryForm, change: Partial<EntryForm>) => void;
}) => {
  const name = titleOf(form.paperId);
  const put = (next: Partial<EntryForm>): void => change(form, next);
  const choice = showable(organization);
  return (
    <fieldset class="entry" aria-label={name}>
      {choice.some(({ id }) => id === form.paperId) ? (
        <SearchChoice
          label={t('playlist.paper')}
          value={bound(form.paperId, (paperId) => put({ paperId }))}
          choices={paperChoices(choice)}
        />
      ) : (
        <p>
          <PaperName id={form.paperId} />
        </p>
      )}
      <Field
        class="field clock"
        label={t('playlist.time')}
        type="time"
        value={bound(form.time, (time) => put({ time, minutes: until({ ...form, time }, endOf(form)) }))}
      />
      {Number(form.minutes) > minutesOfDay ? (
        <Field
          class="field clock"
          label={t('playlist.minutes')}
          type="number"
          min={1}
          value={bound(form.minutes, (minutes) => put({ minutes }))}
        />
      ) : (
        <Field
          class="field clock"
          label={t('playlist.until')}
          type="time"
          value={bound(endOf(form), (end) => put({ minutes: until(form, end) }))}
        />
      )}
      <RepeatField form={form} put={put} />
    </fieldset>
  );
};

const RepeatField = ({ form, put }: { readonly form: EntryForm; readonly put: (next: Partial<EntryForm>) => void }) => (
  <>
    <ChoiceField
      label={t('playlist.repeat')}
      value={bound<string>(form.repeat, (name) =>
        put({ repeat: name as Repeat, ...(name === 'weekly' && { days: entryWeekdays.slice(0, 5) }) }),
      )}
      choices={repeats.map((repeat) => [repeat, t(`playlist.repeat.${repeat}`)])}
    />
    {form.repeat === 'weekly' && <Days days={form.days} put={(days) => put({ days })} />}
    {(form.repeat === 'once' || form.repeat === 'own' || form.date > today()) && (
      <Field
        label={t(form.repeat === 'once' ? 'playlist.day' : 'playlist.from')}
        type="date"
        value={bound(form.date, (date) => put({ date }))}
      />
    )}
    {form.repeat === 'own' && (
      <Field label={t('playlist.rule')} value={bound(form.rule, (rule) => put({ rule }))} placeholder="FREQ=MONTHLY" />
    )}
  </>
);

/** The day of the viewer, as a stored day is written. */
const today = (): string => new Intl.DateTimeFormat('sv-SE').format(new Date());

/** A Monday, from which the days of a week are named. */
const monday = Date.UTC(2024, 0, 1);

const Days = ({
  days,
  put,
}: {
  readonly days: readonly Weekday[];
  readonly put: (days: readonly Weekday[]) => void;
}) => {
  const nameOf = (place: number): string =>
    new Intl.DateTimeFormat(language.value, { weekday: 'short', timeZone: 'UTC' }).format(monday + place * 86_400_000);
  return (
    <fieldset class="choice days">
      <legend>{t('playlist.days')}</legend>
      {entryWeekdays.map((day, place) => (
        <label key={day}>
          <input
            type="checkbox"
            checked={days.includes(day)}
            // The last day stays: without any the entry would never come again.
            disabled={days.length === 1 && days.includes(day)}
            onChange={(event) =>
              put(event.currentTarget.checked ? [...days, day] : days.filter((other) => other !== day))
            }
          />
          <span>{nameOf(place)}</span>
        </label>
      ))}
    </fieldset>
  );
};
