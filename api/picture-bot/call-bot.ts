/** Calls to Telegram. The token stands in the address: no address, and no text of an answer, gets into a reason. */
import { z } from 'zod';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { type FollowDeps, followRedirects } from '../outgoing/follow-redirects.ts';
import { SourceFault } from '../picture-sources/source.ts';
import { type BotAnswer, type BotUpdate, botAnswerSchema, readUpdates } from './bot-updates.ts';

export interface BotCallDeps {
  readonly follow: FollowDeps;
  readonly sharer: Sharer;
  readonly signal: AbortSignal;
  readonly token: string;
  /** Where Telegram answers. */
  readonly server: URL;
}

/** Another program asks for the messages of the bot, or a webhook gets them. */
export class OtherPoller extends SourceFault {}

/** A group was made a supergroup, and has another id. */
export class MigratedChat extends SourceFault {
  readonly chat: string;

  constructor(chat: string) {
    super('gone', reasonOf('album-source-unreadable'));
    this.chat = chat;
  }
}

/** The size up to which Telegram gives files to bots. */
export const botFileBytes = 20 * 1024 * 1024;

const pollSeconds = 50;
const callMs = 20_000;
const fileMs = 120_000;
const answerBytes = 4 * 1024 * 1024;

/** Returns whether a text has the form of a token, so that it may stand in an address. */
export const isBotToken = (text: string): boolean => /^\d{3,20}:[\w-]{20,100}$/.test(text);

/**
 * Waits for messages, up to 50 seconds. `offset` confirms every update below it.
 * @throws SourceFault
 */
export async function getUpdates(deps: BotCallDeps, offset: number): Promise<readonly BotUpdate[]> {
  const wish = { offset, timeout: pollSeconds, allowed_updates: ['message'] };
  return readUpdates(await call(deps, 'getUpdates', wish, (pollSeconds + 15) * 1000));
}

/**
 * Reads the name by which people find the bot, without the `@`; undefined where Telegram names none.
 * @throws SourceFault
 */
export async function readBotName(deps: BotCallDeps): Promise<string | undefined> {
  const name = z.object({ username: z.string().regex(/^\w{3,64}$/) });
  return name.safeParse(await call(deps, 'getMe', {})).data?.username;
}

/**
 * Writes into a chat, and returns the id of the message, by which it is edited.
 * @throws SourceFault
 */
export async function sendBotMessage(deps: BotCallDeps, chat: string, text: string): Promise<number | undefined> {
  const result = await call(deps, 'sendMessage', { chat_id: chat, text, disable_notification: true });
  return z.object({ message_id: z.int() }).safeParse(result).data?.message_id;
}

/**
 * Replaces the text of a message that the bot wrote.
 * @throws SourceFault
 */
export async function editMessage(
  deps: BotCallDeps,
  { chat, message }: { readonly chat: string; readonly message: number },
  text: string,
): Promise<void> {
  await call(deps, 'editMessageText', { chat_id: chat, message_id: message, text });
}

/**
 * Fetches a file; undefined when Telegram has it no longer, or it is larger than bots may have.
 * @throws SourceFault
 */
export async function fetchBotFile(deps: BotCallDeps, file: string): Promise<Buffer | undefined> {
  const result = await call(deps, 'getFile', { file_id: file }).catch((error: unknown) => {
    if (error instanceof SourceFault && error.kind === 'unusable') return undefined;
    throw error;
  });
  const path = z.object({ file_path: z.string() }).safeParse(result).data?.file_path;
  if (path === undefined || !/^[\w-]+(?:\/[\w.-]+)+$/.test(path) || path.includes('..')) return undefined;
  const url = new URL(`/file/bot${deps.token}/${path}`, deps.server);
  const answer = await ask(deps, url, { readLimitBytes: botFileBytes, bodyTimeoutMs: fileMs });
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw faultOf({ ok: false }, answer.status);
  return answer.body;
}

async function call(deps: BotCallDeps, method: string, wish: object, timeoutMs = callMs): Promise<unknown> {
  const url = new URL(`/bot${deps.token}/${method}`, deps.server);
  const { status, body } = await ask(deps, url, { readLimitBytes: answerBytes, timeoutMs, wish });
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString());
  } catch {
    throw faultOf({ ok: false }, status);
  }
  const { success, data } = botAnswerSchema.safeParse(parsed);
  if (!success || !data.ok || status !== 200) throw faultOf(success ? data : { ok: false }, status);
  return data.result;
}

interface Asked {
  readonly readLimitBytes: number;
  readonly timeoutMs?: number;
  readonly bodyTimeoutMs?: number;
  readonly wish?: object;
}

async function ask(deps: BotCallDeps, url: URL, { wish, ...limits }: Asked) {
  const { follow, sharer, signal } = deps;
  const outcome = await followRedirects(follow, {
    sharer,
    url,
    signal,
    ...limits,
    ...(wish && { method: 'POST' as const, body: JSON.stringify(wish) }),
    headers: wish === undefined ? {} : { 'content-type': 'application/json' },
    // The address is the secret: it goes nowhere else.
    readAddress: (): Reason => reasonOf('album-source-unreadable'),
  });
  if (outcome.kind === 'problem') {
    throw new SourceFault('away', reasonOf('album-source-away', { because: outcome.problem }));
  }
  return outcome;
}

/** Returns the fault that an answer is. Telegram's own words, which quote what was sent, stay out. */
function faultOf({ error_code: code, parameters }: BotAnswer, status: number): SourceFault {
  const known = code ?? status;
  if (known === 409) return new OtherPoller('denied', reasonOf('album-source-bot-other-poller'));
  // A token that is not one is 404.
  if (known === 401 || known === 404) return new SourceFault('denied', reasonOf('album-source-bot-denied'));
  if (known === 429) return new SourceFault('away', reasonOf('album-source-busy'), parameters?.retry_after ?? 30);
  if (parameters?.migrate_to_chat_id !== undefined) return new MigratedChat(parameters.migrate_to_chat_id);
  const isAway = known >= 500 || known < 400;
  return new SourceFault(isAway ? 'away' : 'unusable', reasonOf('album-source-status', { status: known }));
}
