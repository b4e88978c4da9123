/** What calendars show of the next seven days. */

import type { ComponentType } from 'preact';
import type { AnswerOf } from '../ground/call-api.ts';
import { language, t } from '../ground/words.ts';

type CalendarEvent = AnswerOf<'POST /papers/{paperId}/calendar-preview'>['calendarData']['events'][number];
type CalendarRead = AnswerOf<'POST /papers/{paperId}/calendar-preview'>;

/** Draws the events by day. */
export const CalendarWeek: ComponentType<{ readonly read: CalendarRead; readonly isReading: boolean }> = ({
  read: { calendarAuth, calendarData },
  isReading,
}) => {
  const colours = new Map(calendarData.calendars.map(({ key, color }) => [key, color]));
  const days = new Map<string, CalendarEvent[]>();
  for (const event of calendarData.events) {
    const day = dayOf(event.start);
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  // Nothing was read: that is no empty week.
  if (calendarAuth.status === 'failed' && days.size === 0) return null;
  return (
    <section class="week" aria-labelledby="calendar-week" aria-busy={isReading}>
      <h4 id="calendar-week">{t('calendar.week')}</h4>
      {days.size === 0 && <p class="note">{t('calendar.noEvents')}</p>}
      <dl>
        {[...days].map(([day, events]) => (
          <div key={day}>
            <dt>{dayName(day)}</dt>
            {events.map((event, place) => (
              <dd key={`${place} ${event.summary}`}>
                <svg class="dot" viewBox="0 0 10 10" aria-hidden="true">
                  <circle cx="5" cy="5" r="5" fill={colours.get(event.calendar) ?? 'currentColor'} />
                </svg>
                <span class="hours">{timeOf(event)}</span>
                <span dir="auto">{event.summary}</span>
                {event.location !== undefined && (
                  <span class="note" dir="auto">
                    {event.location}
                  </span>
                )}
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </section>
  );
};

const dayOf = (start: CalendarEvent['start']): string => ('date' in start ? start.date : start.dateTime).slice(0, 10);

const dayName = (day: string): string =>
  new Intl.DateTimeFormat(language.value, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );

const timeOf = ({ start, end }: CalendarEvent): string => {
  if ('date' in start || 'date' in end) return t('calendar.allDay');
  return `${start.dateTime.slice(11, 16)}–${end.dateTime.slice(11, 16)}`;
};
