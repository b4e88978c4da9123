/** The mailbox over IMAP: what is done with it, without any decision about messages. */
import type { ImapFlow, ImapFlowOptions, MessageStructureObject } from 'imapflow';
import { wantedHeaders } from './mail-headers.ts';
import type { MailPart } from './mail-parts.ts';
import type { MailboxAddress } from './mailbox-address.ts';

/** A message as it is listed. */
export interface ListedMail {
  readonly uid: number;
  readonly headers: Buffer;
  readonly structure: MailPart;
  readonly bytes: number | undefined;
  /** When it came, epoch milliseconds. */
  readonly arrivedAt: number | undefined;
}

/** The folders below that of the mailbox into which messages are moved. */
export const mailFolders = { accepted: [], leftOut: ['left out'], waiting: ['waiting'] } as const;
export type MailFolder = keyof typeof mailFolders;

/** The limits beyond which a server is cut off; parts come in pieces of 64 KiB. */
const limits = {
  maxLineLength: 1024 * 1024,
  maxLiteralSize: 1024 * 1024,
  maxResponseSize: 4 * 1024 * 1024,
  maxResponseTokens: 200_000,
} as const;
const connectMs = 15_000;
const silenceMs = 60_000;
const pieceBytes = 64 * 1024;

/** Settings of the connection. Nothing of it is logged: its log holds subjects and addresses. */
function optionsOf({ host, port, privacy, user, password }: MailboxAddress): ImapFlowOptions {
  return {
    host,
    port,
    auth: { user, pass: password },
    logger: false,
    disableAutoIdle: true,
    ...limits,
    secure: privacy === 'tls',
    doSTARTTLS: privacy === 'starttls' ? true : privacy === 'none' ? false : undefined,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    clientInfo: { name: 'Papergate' },
  };
}

/** A connection with the folder open. Everything rejects when the connection ends. */
export class OpenMailbox {
  readonly #client: ImapFlow;
  readonly uidValidity: string;
  readonly #made = new Set<MailFolder>();
  #hear: (() => void) | undefined;

  constructor(client: ImapFlow, uidValidity: string) {
    this.#client = client;
    this.uidValidity = uidValidity;
    for (const event of ['exists', 'close', 'mailboxOpen'] as const) client.on(event, () => this.#hear?.());
  }

  /** Lists the UIDs above one, in their order, without messages that are marked as deleted. */
  async uidsAfter(uid: number): Promise<readonly number[]> {
    const found = this.#must(await this.#client.search({ uid: `${uid + 1}:*`, deleted: false }, { uid: true }));
    if (found === false) throw new Error('the mailbox refused to list its messages');
    // A range that ends in `*` always holds the last message.
    return found.filter((one) => one > uid).sort((a, b) => a - b);
  }

  /** Reads the headers that decide, and the structures. */
  async list(uids: readonly number[]): Promise<readonly ListedMail[]> {
    if (uids.length === 0) return [];
    const query = { uid: true, size: true, bodyStructure: true, internalDate: true, headers: wantedHeaders };
    const listed = await this.#client.fetchAll(uids.join(','), query, { uid: true });
    return listed
      .map(({ uid, size, headers, bodyStructure, internalDate }) => ({
        uid,
        bytes: size,
        headers: headers ?? Buffer.alloc(0),
        structure: (bodyStructure ?? { type: 'text/plain' }) satisfies MessageStructureObject,
        arrivedAt: internalDate === undefined ? undefined : new Date(internalDate).getTime(),
      }))
      .sort((a, b) => a.uid - b.uid);
  }

  /** Reads one part, decoded; undefined when it has more bytes, or is not there. */
  async read(uid: number, part: string, limitBytes: number): Promise<Buffer | undefined> {
    const options = { uid: true, maxBytes: limitBytes + 1, chunkSize: pieceBytes };
    const { content } = await this.#client.download(String(uid), part, options);
    if (content === undefined) return undefined;
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of content) {
      pieces.push(piece);
      bytes += piece.length;
    }
    return bytes > limitBytes ? undefined : Buffer.concat(pieces);
  }

  /** Marks messages as read and moves them. A server that refuses leaves them where they are, and false is returned. */
  async move(uids: readonly number[], folder: MailFolder): Promise<boolean> {
    if (uids.length === 0) return true;
    const range = uids.join(',');
    await this.#make(folder);
    await this.#client.messageFlagsAdd(range, ['\\Seen'], { uid: true, silent: true });
    if (this.#client.capabilities.has('MOVE')) {
      return this.#isDone(await this.#client.messageMove(range, this.#pathOf(folder), { uid: true }));
    }
    const copied = this.#isDone(await this.#client.messageCopy(range, this.#pathOf(folder), { uid: true }));
    // It is only marked: removing is for the person whose mailbox it is.
    return (
      copied && this.#isDone(await this.#client.messageFlagsAdd(range, ['\\Deleted'], { uid: true, silent: true }))
    );
  }

  /** Works in another of the folders, and comes back. */
  async within<Result>(folder: MailFolder, work: () => Promise<Result>): Promise<Result> {
    const home = this.#client.mailbox === false ? 'INBOX' : this.#client.mailbox.path;
    await this.#make(folder);
    await this.#client.mailboxOpen(this.#pathOf(folder));
    try {
      return await work();
    } finally {
      if (this.#client.usable) await this.#client.mailboxOpen(home);
    }
  }

  /** Resolves when the server announces something or the connection ends, or `wake` does; meanwhile it is idle. */
  async idle(wake: Promise<void>): Promise<void> {
    const heard = new Promise<void>((resolve) => {
      this.#hear = resolve;
    });
    if (!this.#client.usable) return;
    const idling = this.#client.capabilities.has('IDLE') ? this.#client.idle() : undefined;
    idling?.catch(() => this.#hear?.());
    await Promise.race([heard, wake]);
    this.#hear = undefined;
  }

  isOpen(): boolean {
    return this.#client.usable;
  }

  /** Ends the connection at once. */
  close(): void {
    this.#client.close();
  }

  async #make(folder: MailFolder): Promise<void> {
    if (this.#made.has(folder)) return;
    const path = this.#pathOf(folder);
    const listed = await this.#client.list();
    const has = (wanted: string): boolean => listed.some((one) => one.path === wanted);
    const top = this.#pathOf('accepted');
    for (const one of new Set([top, path])) if (!has(one)) await this.#client.mailboxCreate(one);
    this.#made.add(folder);
  }

  /** Returns the path of a folder below the namespace; a server without hierarchy gets one name. */
  #pathOf(folder: MailFolder): string {
    const { prefix = '', delimiter } = this.#client.namespace ?? {};
    return `${prefix}${['Papergate', ...mailFolders[folder]].join(delimiter || ' ')}`;
  }

  #isDone(answer: unknown): boolean {
    this.#must(answer);
    return answer !== false;
  }

  /** Returns an answer; undefined of the library means that there is no folder, which a lost connection brings about. */
  #must<Answer>(answer: Answer): Exclude<Answer, undefined> {
    if (answer === undefined || !this.#client.usable) throw new Error('the connection to the mailbox ended');
    return answer as Exclude<Answer, undefined>;
  }
}

/**
 * Connects, logs in and opens the folder.
 * @throws the library's error, whose `authenticationFailed` and `code` say what is wrong
 */
export async function openMailbox(address: MailboxAddress, signal: AbortSignal): Promise<OpenMailbox> {
  const { ImapFlow: Client } = await import('imapflow');
  signal.throwIfAborted();
  const client = new Client(optionsOf(address));
  // A connection that breaks between two commands must not end the process; the next command fails.
  client.on('error', () => {});
  const end = (): void => client.close();
  signal.addEventListener('abort', end, { once: true });
  client.once('close', () => signal.removeEventListener('abort', end));
  try {
    await client.connect();
    const { uidValidity } = await client.mailboxOpen(address.folder);
    return new OpenMailbox(client, String(uidValidity));
  } catch (error) {
    client.close();
    throw error;
  }
}
