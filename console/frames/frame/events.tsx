/** The latest events of the frame, the newest first. */

import { useSignal } from '@preact/signals';
import { callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { t, tCode } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { eventFacts, type FrameEvent } from './event-facts.ts';

const filters = {
  important: 'alert,battery,settings,command,firmware,activate,log',
  pictures: 'picture',
  wakes: 'hello,connect,disconnect,state',
  all: '',
} as const;
type Filter = keyof typeof filters;

const hourMs = 3_600_000;
const spans = { '6': 6, '24': 24, '168': 168, '2160': 2160 } as const;
/** An answer of this length has more after it. */
const answerRows = 2_000;
const maxAnswers = 5;
const shownRows = 200;

/** Reads the events of the last hours: an answer holds the oldest ones, so the next begins where it ended. */
async function readRecent(id: string, hours: number, filter: Filter, signal: AbortSignal): Promise<FrameEvent[]> {
  const end = Date.now() + hourMs;
  const found = new Map<string, FrameEvent>();
  let from = new Date(Date.now() - hours * hourMs).toISOString();
  for (let answer = 0; answer < maxAnswers; answer++) {
    const rows = await callApi('GET /devices/events/{deviceId}', {
      path: { deviceId: id },
      query: { DateStart: from, DateEnd: String(end), TypeFilter: filters[filter] },
      signal,
    });
    for (const row of rows) found.set(row.id, row);
    from = rows.at(-1)?.timestamp ?? from;
    if (rows.length < answerRows) break;
  }
  return [...found.values()].reverse();
}

/** Draws the events with their filters. */
export const FrameEvents = ({ id, version }: { readonly id: string; readonly version: number }) => {
  const filter = useSignal<Filter>('important');
  const hours = useSignal<number>(24);
  const events = useResource<FrameEvent[]>(
    (signal) => readRecent(id, hours.value, filter.value, signal),
    [id, version, filter.value, hours.value],
  );
  return (
    <Card
      id="events"
      title={t('events.title')}
      of={events}
      isQuiet
      beside={
        <>
          <select
            aria-label={t('events.which')}
            value={filter.value}
            onChange={(event) => {
              filter.value = event.currentTarget.value as Filter;
            }}
          >
            {(Object.keys(filters) as Filter[]).map((name) => (
              <option key={name} value={name}>
                {t(`events.${name}`)}
              </option>
            ))}
          </select>
          <select
            aria-label={t('events.span')}
            value={String(hours.value)}
            onChange={(event) => {
              hours.value = Number(event.currentTarget.value);
            }}
          >
            {Object.values(spans).map((count) => (
              <option key={count} value={String(count)}>
                {count < 48 ? t('events.hours', { count }) : t('frame.days', { count: count / 24 })}
              </option>
            ))}
          </select>
        </>
      }
    >
      {events.value?.length === 0 && <p class="note">{t('events.empty')}</p>}
      {events.value !== undefined && events.value.length > 0 && <EventRows events={events.value} />}
    </Card>
  );
};

const EventLine = ({ event }: { readonly event: FrameEvent }) => {
  const [name, facts] = [tCode('event', event.type), eventFacts(event)];
  return facts === '' ? (
    <strong>{name}</strong>
  ) : (
    <>
      <strong>{name}:</strong> {facts}
    </>
  );
};

const EventRows = ({ events }: { readonly events: readonly FrameEvent[] }) => (
  <>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
    <ul class="rows scrolls" tabIndex={0} aria-label={t('events.title')}>
      {events.slice(0, shownRows).map((event) => (
        <li key={event.id}>
          <span>
            <EventLine event={event} />
          </span>
          <time class="note" dateTime={event.timestamp} title={fullTime(event.timestamp)}>
            {clockTime(event.timestamp)}
          </time>
        </li>
      ))}
    </ul>
    {events.length > shownRows && <p class="note">{t('events.more', { count: events.length - shownRows })}</p>}
  </>
);
