/** The events of calendars in the next seven days. */

import type { AnswerOf } from '../../ground/call-api.ts';
import { language, locale, t } from '../../ground/words.ts';

type CalendarEvent = AnswerOf<'POST /papers/{paperId}/calendar-preview'>['calendarData']['events'][number];
type CalendarRead = AnswerOf<'POST /papers/{paperId}/calendar-preview'>;

/** Draws the events by day. */
export const CalendarWeek = ({
  read: { calendarAuth, calendarData },
  isReading,
}: {
  readonly read: CalendarRead;
  readonly isReading: boolean;
}) => {
  const colours = new Map(calendarData.calendars.map(({ key, color }) => [key, color]));
  const days = new Map<string, CalendarEvent[]>();
  for (const event of calendarData.events) {
    const day = dayOf(event.start);
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  // Nothing was read: that is not an empty week.
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

/** The hours as the language writes them, which is how the panel has them; a clock of its own zone is read as it stands. */
const timeOf = ({ start, end }: CalendarEvent): string => {
  if ('date' in start || 'date' in end) return t('calendar.allDay');
  const hours = new Intl.DateTimeFormat(locale.value, { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' });
  const moment = (dateTime: string): Date => new Date(`${dateTime.slice(0, 16)}Z`);
  return hours.formatRange(moment(start.dateTime), moment(end.dateTime));
};
