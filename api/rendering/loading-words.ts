/** The words by which pages show that they are loading, as patterns for texts and for classes. */

/** Words that begin or end a short text: "Loading…", "Daten werden geladen". */
const words = `loading|please wait|one moment|just a moment|lädt|laden|geladen|bitte warten|(?:einen )?moment bitte|einen moment
chargement|veuillez patienter|un instant|cargando|espere|un momento|caricamento|attendere|even geduld|bezig met laden|ładowanie|trwa ładowanie
proszę czekać|carregando|a carregar|aguarde|laddar|indlæser|laster inn|ladataan|načítání|načítám|betöltés|se încarcă|yükleniyor|φόρτωση
загрузка|завантаження|зареждане|učitavanje|nalaganje`;
/** Words of scripts that are written without spaces, or joined otherwise. */
const joined = '読み込み中|ロード中|加载中|載入中|正在加载|로딩|불러오는 중|جار[يٍ]? التحميل|טוען';

const either = words.replaceAll('\n', '|');

/** Patterns of a text with such a word, and at most two other words before or after it, or with dots at its end. */
export const loadingWords = [
  `^(?:[\\p{L}\\p{M}\\d'’-]+ ){0,3}(?:${either})(?: [\\p{L}\\p{M}\\d'’-]+){0,2}[ .…!:%\\d]*$`,
  `(?:^|[^\\p{L}])(?:${either})[^.…]*(?:\\.\\.\\.|…)$`,
  `(?:${joined})`,
].join('|');

/** Matches the classes of placeholders and of what turns meanwhile. */
export const loadingClasses =
  '(?:^|[\\s_-])(?:skeleton|spinner|shimmer|loader|preloader)(?:$|[\\s_-])|(?:^|\\s)(?:is-)?loading(?:$|\\s)';
