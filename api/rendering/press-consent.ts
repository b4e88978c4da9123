/**
 * Takes the cookie banner of a website away by its own button, because it would hide the page for as long as the paper
 * hangs. A button that refuses is pressed before one that accepts: nobody is asked here.
 */
import type { Page } from 'puppeteer';
import type { Clock } from '../../runtime/clock.ts';
import { limitTime, pause } from '../../runtime/limit-time.ts';
import { pressInFrame } from '../in-page/press-in-frame.ts';

/** The words of buttons that allow the least, in lower case. */
const refusals = `reject|reject all|reject all cookies|decline|decline all|deny|deny all|refuse all|only necessary|necessary only|necessary cookies only
use necessary cookies only|only essential|essential only|essential cookies only|accept only essential|accept necessary|continue without accepting
ablehnen|alle ablehnen|alles ablehnen|nur notwendige|nur notwendige cookies|nur essenzielle|nur essenzielle cookies akzeptieren|nur erforderliche
nur erforderliche cookies|nur technisch notwendige|notwendige akzeptieren|weiter ohne zustimmung|weiter ohne einwilligung
tout refuser|refuser|refuser tout|continuer sans accepter|rechazar|rechazar todo|rechazar todas|solo necesarias|rifiuta|rifiuta tutto|rifiuta tutti
continua senza accettare|weigeren|alles weigeren|alleen noodzakelijk|alleen noodzakelijke cookies|odrzuć|odrzuć wszystkie|rejeitar|rejeitar tudo|rejeitar todos`;
/** The words of buttons that end the question. */
const acceptances = `accept|accept all|accept all cookies|accept cookies|allow all|allow all cookies|allow cookies|agree|i agree|i accept|agree and close|got it|ok|okay
akzeptieren|alle akzeptieren|alles akzeptieren|alle cookies akzeptieren|zustimmen|allen zustimmen|alle zulassen|einverstanden|verstanden
akzeptieren und schließen|akzeptieren und weiter|zustimmen und weiter|accepter|tout accepter|accepter tout|j'accepte|d'accord|aceptar|aceptar todo|aceptar todas
accetta|accetta tutto|accetta tutti|accetto|accepteren|alles accepteren|alle cookies accepteren|akkoord|akceptuję|akceptuj|zaakceptuj wszystkie
aceitar|aceitar tudo|aceitar todos`;
/** The words for the subject of a banner, in these languages. */
const subject =
  'cookie|consent|datenschutz|einwilligung|gdpr|dsgvo|rgpd|privacy|données personnelles|privacidad|prywatno';

const maxFrames = 10;
const frameTimeoutMs = 1_000;
const closingMs = 500;

const wordsOf = (lines: string): string[] => lines.split(/[|\n]/);
const asked = { words: [wordsOf(refusals), wordsOf(acceptances)], subject };

/** Presses at most one button of a website, and gives its banner time to go. */
export async function pressConsent(page: Page, clock: Clock): Promise<void> {
  for (const frame of page.frames().slice(0, maxFrames)) {
    // A frame that is gone or busy has no banner to press; what became of the page is asked of it afterwards.
    const pressed = await limitTime(clock, frameTimeoutMs, frame.evaluate(pressInFrame, asked)).catch(() => false);
    if (pressed !== true) continue;
    await pause(clock, closingMs);
    await page.waitForNetworkIdle({ idleTime: closingMs, timeout: 2 * closingMs }).catch(() => {});
    return;
  }
}
