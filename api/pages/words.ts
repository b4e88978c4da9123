/** The few words of our own pages that no calendar data of the runtime knows. */

/** Words by what they are for. `more` and `unread` are followed by what they count or name. */
export interface PageWords {
  readonly allDay: string;
  readonly nothing: string;
  readonly more: string;
  readonly unread: string;
  readonly until: string;
}

const words: Readonly<Record<string, PageWords>> = {
  en: { allDay: 'All day', nothing: 'Nothing planned', more: 'more', unread: 'Not up to date', until: 'until' },
  de: { allDay: 'Ganztägig', nothing: 'Nichts geplant', more: 'weitere', unread: 'Nicht aktuell', until: 'bis' },
  fr: { allDay: 'Journée', nothing: 'Rien de prévu', more: 'de plus', unread: 'Pas à jour', until: 'jusqu’à' },
  es: { allDay: 'Todo el día', nothing: 'Nada previsto', more: 'más', unread: 'Sin actualizar', until: 'hasta' },
  it: {
    allDay: 'Tutto il giorno',
    nothing: 'Niente in programma',
    more: 'altri',
    unread: 'Non aggiornato',
    until: 'fino a',
  },
  nl: { allDay: 'Hele dag', nothing: 'Niets gepland', more: 'meer', unread: 'Niet bijgewerkt', until: 'tot' },
};

const english = words.en as PageWords;

/** The words of a language, English where there are none. */
export function wordsOf(language: string): PageWords {
  return words[new Intl.Locale(language).language] ?? english;
}
