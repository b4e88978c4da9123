/** Sets a page up before it is loaded: its time zone and its language. */
import type { Page } from 'puppeteer';
import { reasonOf } from '../../reasons/reason.ts';
import { NotRendered } from '../browser/not-rendered.ts';

/** Of a page: its IANA zone, and the language that it is asked for in. */
interface SetUp {
  readonly timeZone?: string | undefined;
  readonly language?: string | undefined;
}

const maxErrorLength = 200;

/** Text of a page for people: one line, no control characters, shortened. */
export function onOneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length <= maxErrorLength ? line : `${line.slice(0, maxErrorLength)}…`;
}

/**
 * Sets the time zone and the language of a page.
 * @throws NotRendered for a zone that the browser does not know
 */
export async function setUpPage(page: Page, { timeZone, language }: SetUp): Promise<void> {
  const zoned =
    timeZone === undefined
      ? undefined
      : page.emulateTimezone(timeZone).catch(() => {
          throw new NotRendered(reasonOf('page-time-zone', { zone: onOneLine(timeZone) }));
        });
  const spoken = language === undefined ? undefined : speak(page, language);
  await Promise.all([zoned, spoken]);
}

/** Sets the language that the browser asks for and formats in; one that it does not know is left out. */
async function speak(page: Page, language: string): Promise<void> {
  const [locale] = canonicalLocales(language);
  if (locale === undefined) return;
  const session = await page.createCDPSession();
  const userAgent = await page.browser().userAgent();
  await session.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: locale });
  await session.send('Emulation.setLocaleOverride', { locale }).catch(() => {});
}

function canonicalLocales(language: string): string[] {
  try {
    return Intl.getCanonicalLocales(language);
  } catch {
    return [];
  }
}
