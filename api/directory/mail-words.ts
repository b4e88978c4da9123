/** Words emails with sign-in links. */
import { serviceText, wordedLanguage } from '../words/service-words.ts';

/**
 * Words an email; in English for a language that has no words of its own.
 * @param tag the language of the person who asked, such as `pt-BR`
 */
export function wordMailLinks(
  tag: string,
  links: readonly { readonly organization: string; readonly url: string }[],
  minutes: number,
): { readonly subject: string; readonly text: string } {
  const language = wordedLanguage(tag);
  const [first] = links;
  const lines =
    links.length === 1 && first !== undefined
      ? [serviceText(language, 'mail.one', { organization: oneLine(first.organization) }), first.url]
      : [
          serviceText(language, 'mail.several'),
          links.map(({ organization, url }) => `${oneLine(organization)}:\n${url}`).join('\n\n'),
        ];
  const rules = [serviceText(language, 'mail.once', { count: minutes }), serviceText(language, 'mail.notYou')];
  return { subject: serviceText(language, 'mail.subject'), text: `${[...lines, ...rules].join('\n\n')}\n` };
}

/** A name on one line, without what would make an address of it: people chose it. */
const oneLine = (name: string): string => name.replaceAll(/[\s/:]+/g, ' ').slice(0, 80);
