/** The sentences about mistakes in a calendar, and about a feed that was not read. */
export const calendarSentences = {
  'calendar-read': 'ok',
  'calendar-zone-guessed': 'the time zone "{zone}" is not known, so its times were read as {taken}',
  'calendar-not-read': 'it was not read',
  'calendars-take-long': 'reading all calendars takes too long',
  'calendar-takes-long': 'reading it takes too long',
  'calendar-unreadable': 'it cannot be read',
  'calendar-not-icalendar': 'the answer is not an iCalendar file',
  'calendar-malformed': 'its {field} is malformed',
  'calendar-key-twice': 'another calendar has the key {key}',
} as const;
