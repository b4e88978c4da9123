/** The words of letters with sign-in links. */

interface MailWords {
  readonly subject: string;
  readonly one: string;
  readonly several: string;
  readonly once: (minutes: number) => string;
  readonly notYou: string;
}

const english: MailWords = {
  subject: 'Your link to Papergate',
  one: 'With this link you sign in to {organization}:',
  several: 'With these links you sign in, each to one organization:',
  once: (minutes) => `It works once, within ${minutes} minutes, and in the browser alone in which it was asked for.`,
  notYou: 'If you did not ask for it, there is nothing to do: nobody can sign in by asking.',
};

const german: MailWords = {
  subject: 'Ihr Link zu Papergate',
  one: 'Mit diesem Link melden Sie sich bei {organization} an:',
  several: 'Mit diesen Links melden Sie sich an, jeder gilt für eine Organisation:',
  once: (minutes) => `Er gilt einmal, ${minutes} Minuten lang, und nur in dem Browser, in dem er angefordert wurde.`,
  notYou: 'Haben Sie ihn nicht angefordert, ist nichts zu tun: Durch das Anfordern allein kann sich niemand anmelden.',
};

const words: Readonly<Record<string, MailWords>> = { en: english, de: german };

/** Words a letter; in English for a language that has no words of its own. */
export function wordMailLinks(
  language: string,
  links: readonly { readonly organization: string; readonly url: string }[],
  minutes: number,
): { readonly subject: string; readonly text: string } {
  const { subject, one, several, once, notYou } =
    (Object.hasOwn(words, language) ? words[language] : undefined) ?? english;
  const [first] = links;
  const lines =
    links.length === 1 && first !== undefined
      ? [one.replace('{organization}', () => oneLine(first.organization)), first.url]
      : [several, links.map(({ organization, url }) => `${oneLine(organization)}:\n${url}`).join('\n\n')];
  return { subject, text: `${[...lines, once(minutes), notYou].join('\n\n')}\n` };
}

/** A name on one line, without what would make an address of it: people chose it. */
const oneLine = (name: string): string => name.replaceAll(/[\s/:]+/g, ' ').slice(0, 80);
