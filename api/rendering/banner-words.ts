/** The words of cookie banners, in many languages, as patterns: of their subject, and on their buttons. */
import type { BannerWords } from '../in-page/press-in-frame.ts';

/** The subjects of banners. */
const subject = `cookie|consent|gdpr|dsgvo|rgpd|privacy|datenschutz|einwilligung|données personnelles|privacidad|prywatno|ciasteczk|kakor|kakur
informasjonskaps|eväste|sütik|süti|çerez|куки|бисквит|kolačić|piškot|slapuk|sīkdat|küpsis|vafrakök|μπισκότ|souhlas|クッキー|プライバシー|隐私|隱私|쿠키|개인정보
עוגיות|פרטיות|ملفات تعريف|الخصوصية`;

/** Buttons that allow the least. */
const refusals = `^(?:[\\p{L}\\p{M}'’]+ ){0,2}(?:reject|decline|deny|refuse|disagree|ablehn|verweiger|nicht zustimm|nicht akzept|refus|rechaz|rifiut|weiger|afwijz
odrzuć|odrzuc|rejeit|recus|avvis|avslå|neka|afvis|hylkää|kiellä|odmítn|odmietn|elutas|resping|refuz|reddet|απόρριψη|απορρίπτ|отклон|отказ|відхил|відмов|отхвър
odbij|odbaci|zavrni|atmesti|noraid|keeldu|拒否|拒绝|拒絕|거부|거절|דחה|דחייה|رفض)
(?:^| )(?:only|just) (?:the )?(?:necessary|essential|required|needed)|^(?:accept |use |allow )?(?:necessary|essential|required|strictly necessary)(?: cookies)?(?: only)?$
without (?:accepting|consent|agreeing)|(?:^|nur )(?:die )?(?:technisch )?(?:notwendig|essenziell|erforderlich)|ohne (?:zustimmung|einwilligung|zuzustimmen|akzept)
sans accepter|(?:seulement|uniquement) .*(?:nécessaire|essentiel)|(?:nécessaires|essentiels) (?:seulement|uniquement)|sin aceptar|s[oó]lo .*(?:necesari|esencial)
senza accettare|sol[oi] .*(?:necessari|essenzial)|alleen .*(?:noodzakelijk|functione|essenti)|zonder (?:te )?accepteren|tylko .*(?:niezbędn|konieczn)
(?:apenas|somente|só) .*(?:necessári|essencia)|(?:endast|bara) .*(?:nödvändig)|(?:kun|bare) .*nødvendig|vain .*(?:välttämättöm|pakollis)|(?:pouze|jen) .*(?:nezbytn|nutn)
(?:len|iba) .*(?:nevyhnut|potrebn)|csak .*szükséges|(?:doar|numai) .*(?:necesar|esenţial|esențial)|(?:yalnızca|sadece) .*(?:gerekli|zorunlu)|μόνο .*(?:απαραίτητ|αναγκαί)
только .*необходим|лише .*(?:необхідн|обов)|само .*(?:необходим|задължит)|samo .*(?:nužn|neophodn|nujn|potrebn|obvezn)|必須(?:のみ|クッキー)|仅.*必|僅.*必|필수`;

/** Buttons that end the question. */
const acceptances = `^(?:i |we |yes,? |ja,? |oui,? |s[ií],? |alle |alles |alle cookies |alle akzeptieren|tout |sí |to |ok,? )?(?:accept|allow|agree|consent$|got it|understood|ok$|okay|enable all|akzept|annehm|zustimm|zulass
erlaub|einverstanden|verstanden|accepter|j'accepte|j’accepte|autoriser|d'accord|d’accord|compris|acept|permitir|de acuerdo|entendido|accett|consenti|va bene|ho capito|accepteren|akkoord
toestaan|begrepen|akceptuj|zaakcept|zgadzam|zezw|rozumiem|aceit|concord|entendi|acceptera|godkänn|tillåt|jag förstår|godta|godkend|tillad|accepter|tillat|jeg forstår|hyväksy|salli|ymmärrän
přijm|přijí|povolit|souhlas|rozumím|prija|povoli|súhlas|elfogad|engedély|rendben|értem|accept|sunt de acord|kabul|tamam|izin ver|anladım|αποδοχή|αποδέχομαι|συμφων|принят|принима|соглас|разреш|понятно
прийня|приймаю|погодж|дозвол|приемам|приеми|съглас|prihvat|prihvać|slažem|sprejm|strinjam|sutink|piekrīt|nõustu|samþykk|すべて(?:同意|許可|受け)|同意|許可|受け入れ|承諾|接受|允许|允許|好的|知道了
(?:모두 )?(?:동의|허용|수락)|확인|אישור|אני מסכים|קבל|قبول|موافق|أوافق)
(?: akzeptieren| zulassen| accepter| accepteren| aceptar| accettare| akceptuję)$|^(?:alle|all|tout|todo|todas|tutti|alles)(?: cookies)? (?:akzept|zulass|erlaub|accept|acept|accett)`;

/** Buttons that only lead to more questions. */
const others = `setting|einstellung|preference|präferenz|manage|verwalt|customi[sz]e|personali[sz]|anpass|configur|paramètre|opcion|opzioni|impostazion|instelling|ustawieni
defini[cç]|inställning|innstilling|indstilling|asetu|nastav|beállít|setări|ayar|ρυθμίσ|настрой|налашт|postavk|nastavit|policy|richtlinie|erklärung|more|mehr|details|learn|設定|设置|설정`;

const pattern = (lines: string): string => lines.replaceAll('\n', '|').replaceAll('|)', ')').replaceAll('(?:|', '(?:');

export const bannerWords: BannerWords = {
  subject: pattern(subject),
  buttons: [pattern(refusals), pattern(acceptances)],
  others: pattern(others),
};
