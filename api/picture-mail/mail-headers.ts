/** The headers of a message that decide what becomes of it. */
import { createHash } from 'node:crypto';
import type { EmailAddress, ParsedMail } from 'mailparser';

/** One header line in its place, unfolded; the name in lower case. */
export interface HeaderLine {
  readonly name: string;
  readonly value: string;
}

export interface MailHeaders {
  /** In their order from the top: what the own server added comes first. */
  readonly lines: readonly HeaderLine[];
  /** The addresses of `From`, in lower case. */
  readonly from: readonly string[];
  /** Decoded; empty without one. */
  readonly subject: string;
  readonly messageId: string | undefined;
  /** The thread up to this message, for an answer. */
  readonly references: readonly string[];
  /** Names this message for good: its Message-ID, or a digest of its headers where it has none. */
  readonly key: string;
}

/** The headers that are asked for; those of routing would be the larger part of many messages. */
export const wantedHeaders = [
  ...['From', 'To', 'Cc', 'Subject', 'Date', 'Message-ID', 'References', 'Return-Path'],
  ...['Delivered-To', 'X-Original-To', 'Envelope-To', 'Authentication-Results'],
  ...['Auto-Submitted', 'Precedence', 'List-Id'],
];

/** An honest block has less than a tenth. */
const maxHeaderBytes = 32 * 1024;
const maxIdLength = 500;
const maxReferences = 20;

const unread: Pick<ParsedMail, 'headerLines' | 'from' | 'subject'> = { headerLines: [] };

/** Reads a block of headers, in any charset. Of a longer one 32 KiB are read, and one that cannot be read has no sender. */
export async function readMailHeaders(block: Buffer): Promise<MailHeaders> {
  // Loaded with the first message: a service without a mailbox needs none of its files.
  const { simpleParser } = await import('mailparser');
  const bytes = block.subarray(0, maxHeaderBytes);
  const whole = Buffer.concat([bytes, Buffer.from('\r\n\r\n')]);
  const parsed = await simpleParser(whole, { skipTextToHtml: true }).catch(() => unread);
  const lines = parsed.headerLines.map(({ key, line }) => ({ name: key, value: unfolded(line) }));
  const from: readonly EmailAddress[] = (parsed.from?.value ?? []).flatMap((one) => one.group ?? [one]);
  const messageId = idsIn(valuesOf(lines, 'message-id')[0] ?? '')[0];
  return {
    lines,
    from: from.flatMap(({ address }) => (address ? [address.toLowerCase()] : [])),
    subject: parsed.subject ?? '',
    messageId,
    references: valuesOf(lines, 'references').flatMap(idsIn).slice(-maxReferences),
    key: messageId ?? `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
  };
}

/** Returns the values of all headers of a name, from the top. */
export const valuesOf = (lines: readonly HeaderLine[], name: string): readonly string[] =>
  lines.filter((line) => line.name === name).map(({ value }) => value);

/** Returns a line without its name, as one line. */
function unfolded(line: string): string {
  const value = line.slice(line.indexOf(':') + 1);
  return value
    .split(/[\r\n\t]/)
    .join(' ')
    .trim();
}

/** Returns the ids in angle brackets; what is not one is left out, so that nothing else gets into a header of ours. */
function idsIn(value: string): readonly string[] {
  const ids = value.split(/[\s,]/).filter((piece) => piece.startsWith('<') && piece.endsWith('>'));
  return ids.filter((id) => id.length > 2 && id.length <= maxIdLength && /^<[!-;=?-~]+>$/.test(id));
}
