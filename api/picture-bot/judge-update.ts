/** Judges a message to the bot, without a word to strangers (TG-2). */
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { BotMessage } from './bot-updates.ts';
import { botFileBytes } from './call-bot.ts';

/** A chat that the console admitted by its code. */
export interface AdmittedChat {
  readonly chat: string;
  /** The people whose pictures count; left out, everybody's in the chat: it is a group that was admitted as a whole. */
  readonly members: readonly string[] | undefined;
}

/** A picture of a message. */
export interface BotFile {
  readonly file: string;
  /** The same for the same picture, no matter who sends it. */
  readonly unique: string;
  readonly name: string;
  /** A photo was made smaller by Telegram and has no capture date; a document is the file itself (TG-3). */
  readonly sort: 'photo' | 'document';
}

export type UpdateJudgement =
  | { readonly verdict: 'silence' }
  | { readonly verdict: 'code'; readonly code: string }
  | { readonly verdict: 'migrated'; readonly to: string }
  | { readonly verdict: 'picture'; readonly picture: BotFile }
  | { readonly verdict: 'left out'; readonly reason: Reason; readonly name: string };

const silence: UpdateJudgement = { verdict: 'silence' };
const maxName = 100;

/** Judges a message. In chats that are not admitted everything but a code is passed over. */
export function judgeUpdate(message: BotMessage, admitted: AdmittedChat | undefined): UpdateJudgement {
  const { from, text } = message;
  if (from === undefined || from.is_bot === true) {
    // The notice of a migration comes without a sender from some servers.
    return admitted === undefined ? silence : (migrationOf(message) ?? silence);
  }
  const code = text === undefined ? undefined : codeOf(text);
  // In a chat that is admitted a word may look like a code: there it counts as a command alone.
  const counts = admitted === undefined || text?.startsWith('/') === true;
  if (code !== undefined && counts) return { verdict: 'code', code };
  if (admitted === undefined) return silence;
  const migration = migrationOf(message);
  if (migration !== undefined) return migration;
  if (admitted.members !== undefined && !admitted.members.includes(from.id)) return silence;
  return judgeFile(message);
}

const migrationOf = ({ migrate_to_chat_id: to }: BotMessage): UpdateJudgement | undefined =>
  to === undefined ? undefined : { verdict: 'migrated', to };

/** Returns the code of `/start CODE`, `/start@bot CODE`, or a text that is nothing but a code. */
export function codeOf(text: string): string | undefined {
  const words = text
    .slice(0, 200)
    .split(/\s/)
    .filter((word) => word !== '');
  if (/^\/start(?:@\w{1,64})?$/i.test(words[0] ?? '')) words.shift();
  const [code, ...more] = words;
  return code !== undefined && more.length === 0 && /^[A-Z0-9-]{6,64}$/i.test(code) ? code.toUpperCase() : undefined;
}

function judgeFile({ photo, document, animation, video, video_note: note, sticker }: BotMessage): UpdateJudgement {
  // An animation comes with a document of the same file.
  if (animation !== undefined || sticker !== undefined) {
    return { verdict: 'left out', reason: reasonOf('album-source-left-out-animation'), name: '' };
  }
  if (video !== undefined || note !== undefined) {
    return { verdict: 'left out', reason: reasonOf('album-source-left-out-video'), name: '' };
  }
  const largest = photo?.at(-1);
  if (largest !== undefined) {
    const picture = { file: largest.file_id, unique: largest.file_unique_id, name: '', sort: 'photo' } as const;
    return { verdict: 'picture', picture };
  }
  if (document === undefined) return silence;
  const name = (document.file_name ?? '').slice(-maxName);
  const type = document.mime_type ?? '';
  if (type.startsWith('video/')) return { verdict: 'left out', reason: reasonOf('album-source-left-out-video'), name };
  if (!type.startsWith('image/') || type.startsWith('image/svg')) {
    return { verdict: 'left out', reason: reasonOf('album-source-left-out-type'), name };
  }
  if ((document.file_size ?? 0) > botFileBytes) {
    const reason = reasonOf('album-source-left-out-bytes', { most: botFileBytes / 1024 / 1024 });
    return { verdict: 'left out', reason, name };
  }
  const picture = { file: document.file_id, unique: document.file_unique_id, name, sort: 'document' } as const;
  return { verdict: 'picture', picture };
}
