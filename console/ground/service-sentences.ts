/** The English of the service's sentences as texts of the console: the sentences of the answers, and nothing twice. */
import { sentences } from '../../reasons/sentences.ts';
import { ownSentences } from './own-sentences.ts';

/** A key of a sentence of the service in the console's catalogues. */
export type SentenceKey = `said.${keyof typeof sentences}`;

/**
 * Returns the text of a template of the service as a whole sentence. What stands behind it in the template follows it as
 * sentences of their own, as an answer spells it out.
 */
export function asSentence(template: string): string {
  const [opening = ''] = template.replaceAll('{#', '{').split('{because}');
  const text = opening.trimEnd().replace(/\($/, '').trimEnd();
  // Words of somebody else behind a colon end as they end.
  const whole = /(?:[.:?!…]|: \{\w+\})$/.test(text) ? text : `${text}.`;
  return whole.replace(/^[a-z](?=[a-z’']*[ ,.])/, (letter) => letter.toUpperCase());
}

const own: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(ownSentences));

/** The English text of every sentence. */
export const serviceSentences = Object.fromEntries(
  Object.entries(sentences).map(([code, template]) => [`said.${code}`, own[code] ?? asSentence(template)]),
) as Readonly<Record<SentenceKey, string>>;
