/** Takes one message: judges it, stores its pictures, and says into which folder it goes. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { sha256Of } from '../../runtime/digest.ts';
import { provesDomain, topmostResults } from './auth-results.ts';
import { domainOf, judgeMail, type MailJudgement } from './judge-mail.ts';
import { secretsAddressed } from './mail-addressed.ts';
import { captionOf, hasCaption, textOfHtml } from './mail-caption.ts';
import { type MailHeaders, readMailHeaders } from './mail-headers.ts';
import { type LeftOutPart, mailLimits, type PartsPlan, planParts } from './mail-parts.ts';
import type { ClosedMail, DecidedMail, MailStore } from './mail-store.ts';
import type { ListedMail, MailFolder, OpenMailbox } from './mailbox.ts';
import { sortOfBytes } from './picture-bytes.ts';

export interface TakeDeps extends Pick<CommonDeps, 'clock'> {
  readonly store: MailStore;
  readonly ownAddresses: readonly string[];
}

/** The mailbox as one message needs it. */
type Reader = Pick<OpenMailbox, 'read'>;

const textBytes = 64 * 1024;

/** The way of a message into an album. */
interface Admission {
  readonly sender: string;
  readonly targets: readonly string[];
  /** The sender is proven, so that an answer reaches the person who wrote. */
  readonly mayAnswer: boolean;
}

/** A message, and whether it lay in the mailbox before that was followed: if it is nothing for an album, it stays there. */
interface FoundMail {
  readonly mail: ListedMail;
  readonly isOld: boolean;
}

/** Takes a new message. What was done before the process ended is not done again. */
export async function takeMail(
  deps: TakeDeps,
  mailbox: Reader,
  { mail, isOld }: FoundMail,
): Promise<MailFolder | 'stays'> {
  const { store, ownAddresses } = deps;
  const headers = await readMailHeaders(mail.headers);
  const targets = await store.findTargets(secretsAddressed(headers));
  const trusted = await store.readTrusted();
  const judged = judgeMail(headers, { targets, trusted, ownAddresses });
  if (isOld && judged.verdict === 'ignored') return 'stays';
  if (await store.isDone(headers.key)) return folderOf(judged);
  if (judged.verdict === 'waits') return holdMail(deps, headers, { mail, judged });
  if (judged.verdict === 'ignored') {
    await leaveMailOut(store, headers, judged.reason);
    return 'leftOut';
  }
  const admission = { sender: judged.sender, targets: judged.targets.map(({ id }) => id), mayAnswer: true };
  return takePictures(deps, mailbox, { mail, headers, admission });
}

/** Takes a message that a member decided about; undefined for every other one. */
export async function takeDecided(
  deps: TakeDeps,
  mailbox: Reader,
  { mail, decisions }: { readonly mail: ListedMail; readonly decisions: ReadonlyMap<string, DecidedMail> },
): Promise<{ readonly key: string; readonly folder: MailFolder | 'stays' } | undefined> {
  const headers = await readMailHeaders(mail.headers);
  const { key } = headers;
  const decided = decisions.get(key);
  if (decided === undefined) return undefined;
  if (decided.targets.length === 0) {
    await leaveMailOut(deps.store, headers, reasonOf('album-source-mail-refused'));
    return { key, folder: 'leftOut' };
  }
  const [sender = ''] = headers.from;
  await learnServer(deps.store, headers, sender);
  // Nobody proved that this sender wrote it: an answer might go to somebody who did not.
  const admission = { sender, targets: decided.targets, mayAnswer: false };
  const folder = await takePictures(deps, mailbox, { mail, headers, admission });
  return { key, folder: decided.stays ? 'stays' : folder };
}

/** Closes a message without its pictures. */
export async function leaveMailOut(store: MailStore, headers: MailHeaders, reason: Reason): Promise<void> {
  const [sender] = headers.from;
  const none = { targets: [], pictures: [], leftOut: [], answer: undefined };
  await store.closeMail({ key: headers.key, outcome: 'left out', reason, sender, ...none });
}

const folderOf = ({ verdict }: MailJudgement): MailFolder =>
  verdict === 'ignored' ? 'leftOut' : verdict === 'waits' ? 'waiting' : 'accepted';

/**
 * Learns the name of the own server from a message that a member confirmed: the topmost results are the server's, and they
 * agree with the member. A stranger's message teaches nothing.
 */
async function learnServer(store: MailStore, headers: MailHeaders, sender: string): Promise<void> {
  const top = topmostResults(headers);
  if (top === undefined || !provesDomain(top, domainOf(sender))) return;
  if ((await store.readTrusted()) === undefined) await store.keepTrusted(top.server);
}

async function holdMail(
  { store, clock }: TakeDeps,
  headers: MailHeaders,
  { mail, judged }: { readonly mail: ListedMail; readonly judged: Extract<MailJudgement, { verdict: 'waits' }> },
): Promise<MailFolder> {
  const { pictures } = planParts(mail.structure);
  if (pictures.length === 0) {
    await leaveMailOut(store, headers, reasonOf('album-source-mail-empty'));
    return 'leftOut';
  }
  const isHeld = await store.holdMail({
    key: headers.key,
    sender: judged.sender,
    subject: captionOf(headers.subject, ''),
    reason: judged.reason,
    targets: judged.targets.map(({ id }) => id),
    files: pictures.length,
    arrivedAt: mail.arrivedAt ?? clock.now(),
  });
  if (isHeld) return 'waiting';
  await leaveMailOut(store, headers, judged.reason);
  return 'leftOut';
}

/** A message whose pictures go into albums. */
interface AdmittedMail {
  readonly mail: ListedMail;
  readonly headers: MailHeaders;
  readonly admission: Admission;
}

/** Fetches and stores the pictures one by one, so that one of them is in memory at a time. */
async function takePictures(deps: TakeDeps, mailbox: Reader, admitted: AdmittedMail): Promise<MailFolder> {
  const { mail, headers, admission } = admitted;
  const plan = planParts(mail.structure);
  const caption = await readCaption(mailbox, mail, { headers, plan });
  const digests = new Set<string>();
  const leftOut: LeftOutPart[] = [...plan.leftOut];
  let bytes = 0;
  for (const { part, name, isInline } of plan.pictures) {
    const content = await mailbox.read(mail.uid, part, mailLimits.bytes - bytes);
    const against = content === undefined ? tooLarge() : againstBytes(content);
    if (content === undefined || against !== undefined) {
      if (against !== undefined) leftOut.push({ name, reason: against });
      continue;
    }
    bytes += content.length;
    const digest = await sha256Of(content);
    if (digests.has(digest)) continue;
    const { sender, targets } = admission;
    const arrivedAt = mail.arrivedAt ?? deps.clock.now();
    const picture = { mailKey: headers.key, digest, content, name, caption, sender, targets, isInline, arrivedAt };
    const stored = await deps.store.storePicture(picture);
    if (stored === 'stored') digests.add(digest);
    else leftOut.push({ name, reason: stored });
  }
  await deps.store.closeMail(closedOf(admitted, [...digests], leftOut));
  return digests.size > 0 ? 'accepted' : 'leftOut';
}

const tooLarge = (): Reason => reasonOf('album-source-left-out-mail-bytes', { most: mailLimits.bytes / 1_000_000 });

function closedOf(
  { headers, admission }: AdmittedMail,
  pictures: readonly string[],
  leftOut: readonly LeftOutPart[],
): ClosedMail {
  const { key, subject, messageId, references } = headers;
  const { sender, targets, mayAnswer } = admission;
  return {
    key,
    outcome: pictures.length > 0 ? 'accepted' : 'left out',
    reason: pictures.length > 0 ? undefined : reasonOf('album-source-mail-empty'),
    sender,
    targets,
    pictures,
    leftOut,
    answer: mayAnswer ? { to: sender, subject, messageId, references } : undefined,
  };
}

function againstBytes(content: Buffer): Reason | undefined {
  const sort = sortOfBytes(content);
  if (sort === 'picture') return undefined;
  return reasonOf(sort === 'winmail' ? 'album-source-left-out-winmail' : 'album-source-left-out-type');
}

async function readCaption(
  mailbox: Reader,
  { uid }: ListedMail,
  { headers, plan }: { readonly headers: MailHeaders; readonly plan: PartsPlan },
): Promise<string> {
  if (plan.text === undefined || hasCaption(headers.subject)) return captionOf(headers.subject, '');
  // A text beyond the limit is not cut but skipped: its first words are rarely meant for the wall.
  const bytes = await mailbox.read(uid, plan.text.part, textBytes);
  const text = bytes?.toString('utf8') ?? '';
  return captionOf(headers.subject, plan.text.isHtml ? await textOfHtml(text) : text);
}
