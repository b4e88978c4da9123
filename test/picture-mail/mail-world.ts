/** A mailbox that is followed, with memory in place of tables. */
import type {
  ClosedMail,
  DecidedMail,
  HeldMail,
  MailboxPlace,
  MailPicture,
  MailStore,
} from '../../api/picture-mail/mail-store.ts';
import { type MailboxAddress, readMailboxAddress } from '../../api/picture-mail/mailbox-address.ts';
import { type MailboxState, type RunningMailbox, runMailbox } from '../../api/picture-mail/run-mailbox.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { systemRandom } from '../../runtime/random.ts';

/** The contents of a store. */
export interface MailMemory extends MailStore {
  place: MailboxPlace | undefined;
  trusted: string | undefined;
  readonly pictures: Map<string, MailPicture>;
  readonly closed: Map<string, ClosedMail>;
  readonly held: Map<string, HeldMail>;
  readonly decided: DecidedMail[];
  /** Throws once, as a database that is away. */
  breaks: boolean;
}

export function mailMemory(): MailMemory {
  const kitchen = { id: 'kitchen', senders: ['grandma@example.org'] };
  const memory: MailMemory = {
    place: undefined,
    trusted: 'mx.box.example',
    breaks: false,
    decided: [],
    pictures: new Map(),
    closed: new Map(),
    held: new Map(),
    readPlace: async () => memory.place,
    async keepPlace(place) {
      memory.place = place;
    },
    readTrusted: async () => (memory.trusted === undefined ? undefined : { name: memory.trusted, isSet: true }),
    async keepTrusted(name) {
      memory.trusted = name;
    },
    findTargets: async (secrets) => (secrets.includes('k7') ? [kitchen] : []),
    isDone: async (key) => memory.closed.has(key) || memory.held.has(key),
    async storePicture(picture) {
      if (memory.breaks) {
        memory.breaks = false;
        throw new Error('the database is away');
      }
      memory.pictures.set(`${picture.mailKey} ${picture.digest}`, picture);
      return 'stored';
    },
    async closeMail(mail) {
      memory.closed.set(mail.key, mail);
      memory.held.delete(mail.key);
    },
    async holdMail(mail) {
      memory.held.set(mail.key, mail);
      return memory.held.size <= 3;
    },
    decisions: async () => memory.decided.filter(({ key }) => !memory.closed.has(key)),
  };
  return memory;
}

/** The clock of the machine: polls and pauses take 20 milliseconds, and the two minutes of a message two seconds. */
const hurried: Clock = {
  now: systemClock.now,
  after: (ms, run) => systemClock.after(ms >= 120_000 && ms < 300_000 ? 2_000 : Math.min(ms, 20), run),
};

interface FollowedMailbox extends RunningMailbox {
  readonly states: MailboxState[];
}

/** Begins to follow a mailbox of this machine. With `isHurried` polls and pauses take 20 milliseconds. */
export function followMailbox(
  port: number,
  store: MailStore,
  { isHurried = true, login = 'frame:s3cret' } = {},
): FollowedMailbox {
  const address = readMailboxAddress(`imap://${login}@127.0.0.1:${port}/INBOX`);
  if ('code' in address) throw new Error(address.code);
  const clock = isHurried ? hurried : systemClock;
  const states: MailboxState[] = [];
  const running = runMailbox({
    address,
    store,
    clock,
    random: systemRandom(clock),
    logger: silentLogger,
    ownAddresses: ['frame@box.example'],
    hear: (state) => states.push(state),
  });
  return { ...running, states };
}

const proof = 'Authentication-Results: mx.box.example; dmarc=pass header.from=example.org';

/** Bytes that begin as a JPEG. */
export const someJpeg = (seed: number, bytes = 1_000): Buffer =>
  Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(bytes, `picture ${seed} `)]);

interface WrittenMail {
  readonly id: string;
  readonly from?: string;
  readonly to?: string;
  readonly headers?: readonly string[];
  readonly subject?: string;
  readonly pictures?: readonly Buffer[];
}

/** Writes a message with a text and attachments. */
export function writtenMail({
  id,
  from = 'grandma@example.org',
  to = 'frame+k7@box.example',
  ...more
}: WrittenMail): string {
  const { headers = [proof], subject = 'At the lake', pictures = [someJpeg(1)] } = more;
  const files = pictures.flatMap((picture, index) => [
    '--part',
    `Content-Type: application/octet-stream; name="${index}.jpg"`,
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: attachment; filename="${index}.jpg"`,
    '',
    ...(picture.toString('base64').match(/.{1,76}/g) ?? []),
  ]);
  return [
    ...headers,
    ...[`From: ${from}`, `To: ${to}`, `Message-ID: <${id}>`, `Subject: ${subject}`, 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/mixed; boundary="part"', '', '--part', 'Content-Type: text/plain; charset=iso-8859-1'],
    ...['Content-Transfer-Encoding: quoted-printable', '', 'Gr=FC=DFe', '', '-- ', 'Anna', ...files, '--part--', ''],
  ].join('\r\n');
}

/** The mailbox of the Dovecot that a test started at a port, which begins with STARTTLS. */
export const starttlsAt = (port: number): MailboxAddress => ({
  host: 'localhost',
  port,
  privacy: 'starttls',
  user: 'frame',
  password: 's3cret',
  folder: 'INBOX',
});
