/** The few words of our own pages that the runtime's calendar data does not have. */

/** The words by their purpose. `unread` is followed by names, `more` by a number. */
export interface PageWords {
  readonly allDay: string;
  readonly nothing: string;
  readonly unread: string;
  readonly until: string;
  readonly more: string;
}

const table: Readonly<
  Record<string, readonly [allDay: string, nothing: string, unread: string, until: string, more: string]>
> = {
  ar: ['طوال اليوم', 'لا مواعيد', 'غير محدّث', 'حتى', 'مواعيد أخرى'],
  bg: ['Цял ден', 'Нищо планирано', 'Не е актуално', 'до', 'Още събития'],
  ca: ['Tot el dia', 'Res previst', 'Sense actualitzar', 'fins a', 'Més cites'],
  cs: ['Celý den', 'Nic v plánu', 'Neaktuální', 'do', 'Další události'],
  da: ['Hele dagen', 'Intet planlagt', 'Ikke opdateret', 'til', 'Flere aftaler'],
  de: ['Ganztägig', 'Nichts geplant', 'Nicht aktuell', 'bis', 'Weitere Termine'],
  el: ['Ολοήμερο', 'Τίποτα προγραμματισμένο', 'Μη ενημερωμένο', 'έως', 'Περισσότερα συμβάντα'],
  en: ['All day', 'Nothing planned', 'Not up to date', 'until', 'More events'],
  es: ['Todo el día', 'Nada previsto', 'Sin actualizar', 'hasta', 'Más citas'],
  et: ['Terve päev', 'Midagi pole plaanis', 'Pole ajakohane', 'kuni', 'Veel sündmusi'],
  fa: ['تمام روز', 'برنامه‌ای نیست', 'به‌روز نیست', 'تا', 'رویدادهای دیگر'],
  fi: ['Koko päivä', 'Ei suunnitelmia', 'Ei ajan tasalla', 'asti', 'Lisää tapahtumia'],
  fr: ['Journée', 'Rien de prévu', 'Pas à jour', 'jusqu’à', 'Autres événements'],
  he: ['כל היום', 'אין אירועים', 'לא מעודכן', 'עד', 'אירועים נוספים'],
  hr: ['Cijeli dan', 'Ništa planirano', 'Nije ažurno', 'do', 'Još događaja'],
  hu: ['Egész nap', 'Nincs program', 'Nem friss', 'eddig', 'További események'],
  it: ['Tutto il giorno', 'Niente in programma', 'Non aggiornato', 'fino a', 'Altri eventi'],
  ja: ['終日', '予定なし', '未更新', '終了', '他の予定'],
  ko: ['하루 종일', '일정 없음', '업데이트 안 됨', '종료', '다른 일정'],
  lt: ['Visą dieną', 'Nieko nesuplanuota', 'Neatnaujinta', 'iki', 'Daugiau įvykių'],
  lv: ['Visa diena', 'Nekas nav plānots', 'Nav atjaunināts', 'līdz', 'Vēl notikumi'],
  nb: ['Hele dagen', 'Ingenting planlagt', 'Ikke oppdatert', 'til', 'Flere avtaler'],
  nl: ['Hele dag', 'Niets gepland', 'Niet bijgewerkt', 'tot', 'Meer afspraken'],
  pl: ['Cały dzień', 'Nic w planach', 'Nieaktualne', 'do', 'Więcej wydarzeń'],
  pt: ['Dia inteiro', 'Nada previsto', 'Desatualizado', 'até', 'Mais eventos'],
  ro: ['Toată ziua', 'Nimic planificat', 'Neactualizat', 'până la', 'Mai multe evenimente'],
  ru: ['Весь день', 'Ничего не запланировано', 'Не обновлено', 'до', 'Ещё события'],
  sk: ['Celý deň', 'Nič v pláne', 'Neaktuálne', 'do', 'Ďalšie udalosti'],
  sl: ['Ves dan', 'Nič načrtovanega', 'Ni posodobljeno', 'do', 'Več dogodkov'],
  sv: ['Hela dagen', 'Inget planerat', 'Inte uppdaterat', 'till', 'Fler händelser'],
  tr: ['Tüm gün', 'Plan yok', 'Güncel değil', 'bitiş', 'Diğer etkinlikler'],
  uk: ['Увесь день', 'Нічого не заплановано', 'Не оновлено', 'до', 'Ще події'],
  zh: ['全天', '暂无安排', '未更新', '至', '其他日程'],
};

/** Written forms and older codes of languages that are in the table under another code. */
const others: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb', iw: 'he' };

/** Returns the words of a language, English when the table has none. */
export function pageWords(language: string): PageWords {
  const { language: code } = new Intl.Locale(language);
  const [allDay, nothing, unread, until, more] = table[others[code] ?? code] ?? table.en ?? ['', '', '', '', ''];
  return { allDay, nothing, unread, until, more };
}

/** Returns every character that a calendar may write in a language by itself. */
export function calendarLetters(language: string): ReadonlySet<string> {
  const day = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
  const near = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  // Steps of 29 days meet every month and every weekday in a year.
  const dates = Array.from({ length: 14 }, (_, at) => day.format(Date.UTC(2026, 0, 1 + at * 29)));
  const names = [0, 1].map((days) => near.format(days, 'day'));
  return new Set([...dates, ...names, ...Object.values(pageWords(language))].join(''));
}
