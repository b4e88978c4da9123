/** The caption of pictures that came by email: its subject, or else its first words. */
import { plain } from '../../runtime/plain-lines.ts';

const maxCaption = 200;
const maxText = 64 * 1024;
const maxLines = 200;
/** The prefixes by which mail programs mark answers and forwarded messages, in the languages of the service and some more. */
const prefix = /^(?:re|aw|antw|fwd?|wg|tr|rv|rif|odp|pd|res|enc|doorst|sv|vs|i|r)(?:\[\d{1,3}\])?:/i;
const emptySubject =
  /^(?:\(?no subject\)?|\(?kein betreff\)?|(?:img|dsc|pxl|image|photo|foto)[-_ ]?\d*(?:\.\w{3,4})?)$/i;
/** The lines with which a signature, a quoted message or a program's own words begin. */
const endings = [
  /^--$/,
  /^_{5,}$/,
  /^-{2,}[^-]{1,60}-{2,}$/,
  /^(?:sent|get|gesendet|von meinem|envoyé|enviado|inviato|verzonden|wysłane)\b.{0,40}\b(?:iphone|ipad|android|outlook|galaxy|samsung|handy|smartphone|mobil\w*|mail)\b/i,
  /^(?:on|am|le|el|il|op|em|w dniu)\b.{0,200}:$/i,
  /^(?:from|von|de|da|van|od):/i,
];

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Returns the caption: the subject without its prefixes, or the first paragraph of the text before signature and quoted
 * words. Plain text of 200 characters at most; empty when there is neither.
 */
export function captionOf(subject: string, text: string): string {
  const cleaned = withoutPrefixes(oneLine(subject.slice(0, 4_000)));
  return shortened(cleaned !== '' && !emptySubject.test(cleaned) ? cleaned : firstWords(text.slice(0, maxText)));
}

/** Returns whether a subject alone makes the caption, so that no text is fetched for it. */
export const hasCaption = (subject: string): boolean => captionOf(subject, '') !== '';

/** Reads the plain text of HTML. */
export async function textOfHtml(html: string): Promise<string> {
  const { simpleParser } = await import('mailparser');
  const head = 'Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n';
  const options = { skipTextToHtml: true, skipImageLinks: true, maxHtmlLengthToParse: maxText };
  const { text } = await simpleParser(Buffer.from(head + html.slice(0, maxText)), options);
  return text ?? '';
}

function withoutPrefixes(subject: string): string {
  let rest = subject;
  for (let count = 0; count < 10 && prefix.test(rest); count++) rest = rest.replace(prefix, '').trim();
  return rest;
}

function firstWords(text: string): string {
  const words: string[] = [];
  for (const raw of text.split(/\r?\n/, maxLines)) {
    const line = oneLine(raw.slice(0, 2_000));
    if (endings.some((ending) => ending.test(line))) break;
    if (line === '' && words.length > 0) break;
    if (line !== '' && !line.startsWith('>') && !line.startsWith('[cid:')) words.push(line);
  }
  return words.join(' ');
}

/** Returns a text as one line; joiners within emoji are kept, every other invisible character is not. */
function oneLine(text: string): string {
  const kept = text.normalize('NFC').split('\u200d').map(plain).join('\u200d');
  return kept
    .split(/\s/)
    .filter((word) => word !== '')
    .join(' ');
}

function shortened(text: string): string {
  const all = Array.from(characters.segment(text.slice(0, maxCaption * 20)), ({ segment }) => segment);
  return all.length <= maxCaption
    ? all.join('')
    : `${all
        .slice(0, maxCaption - 1)
        .join('')
        .trimEnd()}…`;
}
