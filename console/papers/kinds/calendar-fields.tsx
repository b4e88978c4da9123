/** The settings of a calendar: its feeds, tried while they are typed, and what they show of the next week. */

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, type BodyOf, callApi, type Problem, type SpelledReasons } from '../../ground/call-api.ts';
import { asProblem } from '../../ground/resource.ts';
import { saidText } from '../../ground/said.ts';
import { t } from '../../ground/words.ts';
import { bound } from '../../parts/bound.ts';
import { Field } from '../../parts/forms/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { problemText } from '../../parts/states.tsx';
import { feedsIn, feedText, type StoredFeed } from '../draft/calendar-feed.ts';
import { DraftLogins } from '../draft/draft-logins.tsx';
import { loginsFor } from '../draft/login-places.ts';
import { MetaField } from '../draft/meta-fields.tsx';
import type { PaperDraft } from '../draft/paper-draft.ts';
import { CalendarWeek } from './calendar-week.tsx';

type CalendarShown = AnswerOf<'POST /papers/{paperId}/calendar-preview'>;

/** The most feeds of a calendar. */
const maxFeeds = 20;
/** An address is tried once nobody has typed for this long. */
const restMs = 700;
const colours = ['#1f5c4d', '#c0392b', '#1a4fa0', '#a86b00', '#6a3d9a', '#222222'];

/** Draws the feeds and the week. */
export const CalendarFields = ({ draft }: { readonly draft: PaperDraft }) => {
  const stored = feedsIn(draft.get('calendars'));
  const isNew = draft.base.value.id === '';
  // A new calendar begins with the field for its address.
  const feeds = isNew && stored.length === 0 ? [newFeed([])] : stored;
  const put = (next: readonly StoredFeed[]): void => draft.set('calendars', next);
  const tried = useTrial(draft, feeds);
  return (
    <div class="part">
      <h3>{t('calendar.feeds')}</h3>
      <p class="note">{t('calendar.feedsHint')}</p>
      <ul class="feeds">
        {feeds.map((feed, place) => (
          <FeedRow
            key={feedText(feed, 'key') || place}
            feed={feed}
            says={tried.read?.calendarAuth.calendars[feedText(feed, 'key')]}
            problems={tried.read?.calendarProblems[feedText(feed, 'key')]}
            remarks={tried.read?.calendarRemarks?.[feedText(feed, 'key')]}
            change={(change) => put(feeds.map((one, other) => (other === place ? { ...one, ...change } : one)))}
            needsLogin={isNew ? <DraftLogins draft={draft} address={feedText(feed, 'url')} /> : undefined}
            remove={() => put(feeds.filter((_, other) => other !== place))}
          />
        ))}
      </ul>
      <div class="actions">
        <button type="button" disabled={feeds.length >= maxFeeds} onClick={() => put([...feeds, newFeed(feeds)])}>
          <Icon name="plus" />
          {t('calendar.addFeed')}
        </button>
      </div>
      {tried.problem !== undefined && <p class="warn">{problemText(tried.problem)}</p>}
      {tried.read !== undefined && <CalendarWeek read={tried.read} isReading={tried.isReading} />}
      <div class="line-form">
        <MetaField
          draft={draft}
          field="dayRange"
          type="number"
          min={1}
          max={100}
          label={t('calendar.dayRange')}
          placeholder="14"
        />
        <MetaField
          draft={draft}
          field="maxEvents"
          type="number"
          min={1}
          max={200}
          label={t('calendar.maxEvents')}
          placeholder="100"
        />
      </div>
    </div>
  );
};

function newFeed(feeds: readonly StoredFeed[]): StoredFeed {
  const keys = new Set(feeds.map((feed) => feedText(feed, 'key')));
  let place = feeds.length + 1;
  while (keys.has(`calendar-${place}`)) place += 1;
  return { key: `calendar-${place}`, name: '', url: '', color: colours[feeds.length % colours.length] };
}

interface Trial {
  readonly read: CalendarShown | undefined;
  readonly problem: Problem | undefined;
  readonly isReading: boolean;
}

/** Tries the feeds whenever they have rested for a moment. An older answer that comes late is dropped. */
function useTrial(draft: PaperDraft, feeds: readonly StoredFeed[]): Trial {
  const trial = useSignal<Trial>({ read: undefined, problem: undefined, isReading: false });
  const { id } = draft.base.value;
  const calendars = feeds.filter((feed) => feedText(feed, 'url').trim() !== '').map(asTried);
  const asked = JSON.stringify([calendars, draft.logins.value, draft.text('timezone')]);
  useEffect(() => {
    draft.hasReadCalendar.value = false;
    if (calendars.length === 0) {
      trial.value = { read: undefined, problem: undefined, isReading: false };
      return undefined;
    }
    const asking = new AbortController();
    const timer = setTimeout(() => {
      trial.value = { ...trial.peek(), isReading: true };
      tryFeeds(draft, calendars, asking.signal).then(
        (read) => {
          if (asking.signal.aborted) return;
          trial.value = { read, problem: undefined, isReading: false };
          draft.hasReadCalendar.value = Object.values(read.calendarAuth.calendars).includes('ok');
        },
        (error: unknown) => {
          if (!asking.signal.aborted) trial.value = { read: undefined, problem: asProblem(error), isReading: false };
        },
      );
    }, restMs);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [asked, id]);
  return trial.value;
}

/** Tries feeds of a paper, or of one that is not made yet. */
function tryFeeds(
  draft: PaperDraft,
  calendars: readonly Readonly<Record<string, string>>[],
  signal: AbortSignal,
): Promise<CalendarShown> {
  const { id, organization } = draft.base.peek();
  const tried = { calendars: [...calendars], dayRange: 7, maxEvents: 60 };
  if (id !== '') {
    const body: BodyOf<'POST /papers/{paperId}/calendar-preview'> = { ...tried, selectedCalendars: {} };
    return callApi('POST /papers/{paperId}/calendar-preview', { path: { paperId: id }, body, signal });
  }
  const body = {
    ...tried,
    organization,
    logins: loginsFor(draft.meta, draft.logins.peek()),
    timezone: draft.text('timezone'),
  };
  return callApi('POST /previews/calendar', { body, signal });
}

/** Only plain fields are tried: others mean nothing to the service. */
const asTried = (feed: StoredFeed): Readonly<Record<string, string>> =>
  Object.fromEntries(['key', 'name', 'url', 'color'].map((field) => [field, feedText(feed, field).trim()]));

interface FeedRowProps {
  readonly feed: StoredFeed;
  /** The service's answer about the feed; undefined while it was not tried. */
  readonly says: string | undefined;
  readonly problems: SpelledReasons | undefined;
  /** The guesses in a feed that was read. */
  readonly remarks: SpelledReasons | undefined;
  readonly change: (change: StoredFeed) => void;
  readonly remove: () => void;
  /** The fields of a login, while the paper is not made. */
  readonly needsLogin: ComponentChildren;
}

const FeedRow = ({ feed, says, problems, remarks, change, remove, needsLogin }: FeedRowProps) => {
  const name = feedText(feed, 'name') || feedText(feed, 'key');
  const color = feedText(feed, 'color');
  return (
    <li>
      <fieldset class="line-form" aria-label={name}>
        <Field
          class="field wide"
          label={t('calendar.url')}
          value={bound(feedText(feed, 'url'), (url) => change({ url }))}
          placeholder="webcal://example.org/family.ics"
        />
        <Field
          label={t('calendar.name')}
          value={bound(feedText(feed, 'name'), (typed) => change({ name: typed }))}
          maxLength={100}
          dir="auto"
        />
        <Field
          class="field colour"
          label={t('calendar.colour')}
          type="color"
          value={bound(/^#[0-9a-f]{6}$/i.test(color) ? color : '#222222', (chosen) => change({ color: chosen }))}
        />
        <button type="button" aria-label={t('calendar.removeNamed', { name })} onClick={remove}>
          {t('calendar.remove')}
        </button>
      </fieldset>
      {says !== undefined && (
        <p class={says === 'ok' ? 'said' : 'said bad'} role="status">
          {says === 'ok' ? t('calendar.ok') : t('calendar.problem', { reason: saidText(problems, says) })}
        </p>
      )}
      {says !== undefined && says !== 'ok' && needsLogin}
      {remarks !== undefined && <p class="note">{saidText(remarks, '')}</p>}
    </li>
  );
};
