/** The variables of the mailbox and the bot to which people send pictures. */
import { z } from 'zod';
import { wordsOf } from '../../../reasons/words.ts';
import { loginMistake } from '../../../runtime/read-address.ts';
import { isBotToken } from '../../picture-bot/call-bot.ts';
import { readMailboxAddress } from '../../picture-mail/mailbox-address.ts';

/** Returns what is wrong with the address of a mailbox, without quoting any of it. */
function mailboxMistake(written: string): string | undefined {
  const login = loginMistake(written);
  if (login !== undefined) return login;
  const read = readMailboxAddress(written);
  return 'code' in read ? wordsOf(read) : undefined;
}

/** The variables. Mistakes in secrets are named and not quoted. */
export const postVariables = {
  PAPERGATE_PICTURE_MAILBOX: z
    .string()
    .superRefine((text, context) => {
      const mistake = mailboxMistake(text);
      if (mistake !== undefined) context.addIssue(mistake);
    })
    .optional(),
  PAPERGATE_PICTURE_ADDRESS: z.email('is not an email address').max(200).toLowerCase().optional(),
  PAPERGATE_PICTURE_MAIL_SERVER: z
    .string()
    .regex(/^[\w.:-]{1,255}$/, 'is not the name with which the header Authentication-Results begins')
    .toLowerCase()
    .optional(),
  PAPERGATE_PICTURE_BOT: z
    .string()
    .refine(isBotToken, 'is not a token of BotFather, such as 123456789:AAE…: copy the whole line')
    .optional(),
  PAPERGATE_PICTURE_BOT_SERVER: z.url({ protocol: /^https?$/ }).optional(),
} as const;

type PostVariable = keyof typeof postVariables;

type PostSettings = { readonly [Name in PostVariable]?: string | undefined };

/** Returns the address of the mailbox as people write to it; undefined where its user is none and nothing names one. */
export function addressOfMailbox(given: PostSettings): string | undefined {
  if (given.PAPERGATE_PICTURE_ADDRESS !== undefined) return given.PAPERGATE_PICTURE_ADDRESS;
  const read = readMailboxAddress(given.PAPERGATE_PICTURE_MAILBOX ?? '');
  const user = 'code' in read ? undefined : read.user.toLowerCase();
  return user !== undefined && z.email().safeParse(user).success ? user : undefined;
}

/** Reports what is missing for a mailbox, and what belongs to one that is not there. */
export function checkPost(given: PostSettings, wrong: (variable: PostVariable, message: string) => void): void {
  const { PAPERGATE_PICTURE_MAILBOX: mailbox, PAPERGATE_PICTURE_BOT: bot } = given;
  const belongs = (variable: PostVariable, to: PostVariable): void => {
    if (given[variable] !== undefined && given[to] === undefined) wrong(variable, `belongs to ${to}: set both`);
  };
  belongs('PAPERGATE_PICTURE_ADDRESS', 'PAPERGATE_PICTURE_MAILBOX');
  belongs('PAPERGATE_PICTURE_MAIL_SERVER', 'PAPERGATE_PICTURE_MAILBOX');
  if (bot === undefined) belongs('PAPERGATE_PICTURE_BOT_SERVER', 'PAPERGATE_PICTURE_BOT');
  if (mailbox !== undefined && addressOfMailbox(given) === undefined) {
    wrong('PAPERGATE_PICTURE_ADDRESS', 'is missing: the user of the mailbox is not its email address, so name that');
  }
}
