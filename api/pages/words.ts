/** The few words of our own pages that the runtime's calendar data does not have. */

/** The words by their purpose. `unread` is followed by names. */
export interface PageWords {
  readonly allDay: string;
  readonly nothing: string;
  readonly unread: string;
  readonly until: string;
}

const table: Readonly<Record<string, readonly [allDay: string, nothing: string, unread: string, until: string]>> = {
  ar: ['طوال اليوم', 'لا مواعيد', 'غير محدّث', 'حتى'],
  bg: ['Цял ден', 'Нищо планирано', 'Не е актуално', 'до'],
  ca: ['Tot el dia', 'Res previst', 'Sense actualitzar', 'fins a'],
  cs: ['Celý den', 'Nic v plánu', 'Neaktuální', 'do'],
  da: ['Hele dagen', 'Intet planlagt', 'Ikke opdateret', 'til'],
  de: ['Ganztägig', 'Nichts geplant', 'Nicht aktuell', 'bis'],
  el: ['Ολοήμερο', 'Τίποτα προγραμματισμένο', 'Μη ενημερωμένο', 'έως'],
  en: ['All day', 'Nothing planned', 'Not up to date', 'until'],
  es: ['Todo el día', 'Nada previsto', 'Sin actualizar', 'hasta'],
  et: ['Terve päev', 'Midagi pole plaanis', 'Pole ajakohane', 'kuni'],
  fa: ['تمام روز', 'برنامه‌ای نیست', 'به‌روز نیست', 'تا'],
  fi: ['Koko päivä', 'Ei suunnitelmia', 'Ei ajan tasalla', 'asti'],
  fr: ['Journée', 'Rien de prévu', 'Pas à jour', 'jusqu’à'],
  he: ['כל היום', 'אין אירועים', 'לא מעודכן', 'עד'],
  hr: ['Cijeli dan', 'Ništa planirano', 'Nije ažurno', 'do'],
  hu: ['Egész nap', 'Nincs program', 'Nem friss', 'eddig'],
  it: ['Tutto il giorno', 'Niente in programma', 'Non aggiornato', 'fino a'],
  ja: ['終日', '予定なし', '未更新', '終了'],
  ko: ['하루 종일', '일정 없음', '업데이트 안 됨', '종료'],
  lt: ['Visą dieną', 'Nieko nesuplanuota', 'Neatnaujinta', 'iki'],
  lv: ['Visa diena', 'Nekas nav plānots', 'Nav atjaunināts', 'līdz'],
  nb: ['Hele dagen', 'Ingenting planlagt', 'Ikke oppdatert', 'til'],
  nl: ['Hele dag', 'Niets gepland', 'Niet bijgewerkt', 'tot'],
  pl: ['Cały dzień', 'Nic w planach', 'Nieaktualne', 'do'],
  pt: ['Dia inteiro', 'Nada previsto', 'Desatualizado', 'até'],
  ro: ['Toată ziua', 'Nimic planificat', 'Neactualizat', 'până la'],
  ru: ['Весь день', 'Ничего не запланировано', 'Не обновлено', 'до'],
  sk: ['Celý deň', 'Nič v pláne', 'Neaktuálne', 'do'],
  sl: ['Ves dan', 'Nič načrtovanega', 'Ni posodobljeno', 'do'],
  sv: ['Hela dagen', 'Inget planerat', 'Inte uppdaterat', 'till'],
  tr: ['Tüm gün', 'Plan yok', 'Güncel değil', 'bitiş'],
  uk: ['Увесь день', 'Нічого не заплановано', 'Не оновлено', 'до'],
  zh: ['全天', '暂无安排', '未更新', '至'],
};

/** Written forms and older codes of languages that are in the table under another code. */
const others: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb', iw: 'he' };

/** Returns the words of a language, English when the table has none. */
export function pageWords(language: string): PageWords {
  const { language: code } = new Intl.Locale(language);
  const [allDay, nothing, unread, until] = table[others[code] ?? code] ?? table.en ?? ['', '', '', ''];
  return { allDay, nothing, unread, until };
}

/** Returns every letter that a calendar may write in a language by itself. */
export function calendarLetters(language: string): ReadonlySet<string> {
  const day = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
  const near = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  // Steps of 29 days meet every month and every weekday in a year.
  const dates = Array.from({ length: 14 }, (_, at) => day.format(Date.UTC(2026, 0, 1 + at * 29)));
  const names = [0, 1].map((days) => near.format(days, 'day'));
  return new Set([...dates, ...names, ...Object.values(pageWords(language))].join(''));
}
