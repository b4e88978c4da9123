/** A small IMAP server on loopback: what a client that reads, moves and idles needs, with faults. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { FakeFolder, FakeMail, ImapFaults, ImapOptions } from './fake-folders.ts';
import { bodyStructure, parseMime, sectionOf } from './mime-structure.ts';

export interface FakeImap {
  readonly port: number;
  readonly faults: ImapFaults;
  readonly folders: Map<string, FakeFolder>;
  /** The commands that came, without their tags. */
  readonly commands: string[];
  deliver(raw: string, folder?: string): number;
  /** Resolves when `when` is true, which is asked after every command. */
  until(when: () => boolean): Promise<void>;
  cutAll(): void;
  close(): Promise<void>;
}

const all = 'IDLE MOVE UIDPLUS NAMESPACE';

/** Opens a server. Its user is `frame`, its password `s3cret`. */
export async function openFakeImap(options: ImapOptions = {}): Promise<FakeImap> {
  const faults: ImapFaults = {};
  const folders = new Map<string, FakeFolder>([['INBOX', { validity: 7, next: 1, mails: [] }]]);
  const commands: string[] = [];
  const sessions = new Set<Session>();
  let waiting: { when: () => boolean; resolve: () => void }[] = [];
  const look = (): void => {
    for (const one of waiting.filter(({ when }) => when())) {
      waiting = waiting.filter((other) => other !== one);
      one.resolve();
    }
  };
  const server = createServer((socket) => {
    const session = new Session({ socket, faults, folders, commands, options, look });
    sessions.add(session);
    socket.on('close', () => sessions.delete(session));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cutAll = (): void => {
    for (const session of sessions) session.cut();
  };
  return {
    port: (server.address() as AddressInfo).port,
    faults,
    folders,
    commands,
    cutAll,
    deliver(raw, name = 'INBOX') {
      const folder = folders.get(name) as FakeFolder;
      folder.mails.push({ uid: folder.next, raw, flags: new Set() });
      for (const session of sessions) session.announce(name);
      return folder.next++;
    },
    until: (when) => new Promise((resolve) => (when() ? resolve() : waiting.push({ when, resolve }))),
    async close() {
      cutAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface SessionDeps {
  readonly socket: Socket;
  readonly faults: ImapFaults;
  readonly folders: Map<string, FakeFolder>;
  readonly commands: string[];
  readonly options: ImapOptions;
  readonly look: () => void;
}

class Session {
  readonly #deps: SessionDeps;
  #selected = '';
  #idleTag: string | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    const { socket, options } = deps;
    socket.on('error', () => {});
    socket.write(`* OK [CAPABILITY IMAP4rev1 ${options.capabilities ?? all}] ready\r\n`);
    let rest = '';
    socket.setEncoding('latin1').on('data', (piece) => {
      const lines = `${rest}${piece}`.split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#work = this.#work.then(() => this.#hear(line)).then(deps.look);
    });
  }

  cut(): void {
    this.#deps.socket.destroy();
  }

  announce(folder: string): void {
    if (this.#selected === folder && this.#idleTag !== undefined) this.#say(`* ${this.#mails().length} EXISTS`);
  }

  #say(line: string): void {
    if (!this.#deps.socket.destroyed) this.#deps.socket.write(`${line}\r\n`, 'latin1');
  }

  #mails(): FakeMail[] {
    return this.#deps.folders.get(this.#selected)?.mails ?? [];
  }

  async #hear(line: string): Promise<void> {
    if (line === 'DONE' && this.#idleTag !== undefined) {
      const tag = this.#idleTag;
      this.#idleTag = undefined;
      return this.#say(`${tag} OK idle ended`);
    }
    const { commands, faults } = this.#deps;
    const [tag = '', ...words] = line.split(' ');
    const isUid = words[0]?.toUpperCase() === 'UID';
    if (isUid) words.shift();
    const command = words.shift()?.toUpperCase() ?? '';
    const rest = words.join(' ');
    commands.push(`${command} ${rest}`.trim());
    if (faults.cutAt?.command === command && !faults.cutAt.isAfter) return this.cut();
    const answer = await this.#answer(command, rest, tag);
    if (faults.cutAt?.command === command) return this.cut();
    if (answer !== undefined) this.#say(`${tag} ${answer}`);
  }

  /** Carries out a command; undefined when it was answered. */
  async #answer(command: string, rest: string, tag: string): Promise<string | undefined> {
    const { folders, faults, options } = this.#deps;
    const [first = '', second = ''] =
      rest.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/g)?.map((word) => word.replace(/^"|"$/g, '')) ?? [];
    switch (command) {
      case 'LOGIN':
        if (faults.refuseLogin || first !== 'frame' || second !== 's3cret') return 'NO [AUTHENTICATIONFAILED] no';
        return `OK [CAPABILITY IMAP4rev1 ${options.capabilities ?? all}] welcome`;
      case 'NAMESPACE':
        this.#say(`* NAMESPACE (("${options.prefix ?? ''}" "${options.delimiter ?? '/'}")) NIL NIL`);
        return 'OK done';
      case 'LIST':
      case 'LSUB':
        if (second === '') this.#say(`* ${command} (\\Noselect) "${options.delimiter ?? '/'}" ""`);
        else for (const name of folders.keys()) this.#say(`* ${command} () "${options.delimiter ?? '/'}" "${name}"`);
        return 'OK done';
      case 'CREATE':
        folders.set(first, { validity: 1, next: 1, mails: [] });
        return 'OK made';
      case 'SELECT':
        return this.#select(first);
      case 'SEARCH':
        this.#say(
          `* SEARCH ${this.#search(rest)
            .map(({ uid }) => uid)
            .join(' ')}`.trimEnd(),
        );
        return 'OK done';
      case 'FETCH':
        await this.#fetch(rest);
        return 'OK done';
      case 'STORE':
        for (const mail of this.#range(first)) for (const flag of rest.match(/\\\w+/g) ?? []) mail.flags.add(flag);
        return 'OK done';
      case 'MOVE':
      case 'COPY':
        return this.#move(first, second, command === 'MOVE');
      case 'IDLE':
        this.#idleTag = tag;
        this.#say('+ idling');
        return undefined;
      case 'CAPABILITY':
        this.#say(`* CAPABILITY IMAP4rev1 ${options.capabilities ?? all}`);
        return 'OK done';
      default:
        return ['NOOP', 'LOGOUT', 'CLOSE', 'UNSELECT'].includes(command) ? 'OK done' : `BAD ${command} is unknown here`;
    }
  }

  #select(name: string): string {
    const folder = this.#deps.folders.get(name);
    if (folder === undefined) return 'NO no such folder';
    this.#selected = name;
    for (const line of [`${folder.mails.length} EXISTS`, '0 RECENT', 'FLAGS (\\Seen \\Deleted)'])
      this.#say(`* ${line}`);
    this.#say(`* OK [UIDVALIDITY ${folder.validity}] x`);
    this.#say(`* OK [UIDNEXT ${folder.next}] x`);
    return 'OK [READ-WRITE] selected';
  }

  #search(criteria: string): FakeMail[] {
    const range = /UID (\S+)/.exec(criteria)?.[1] ?? '1:*';
    const isUndeleted = /UNDELETED|NOT DELETED/.test(criteria);
    return this.#range(range).filter(({ flags }) => !isUndeleted || !flags.has('\\Deleted'));
  }

  /** As the standard wants it, a range up to `*` holds the last message, whatever it begins with. */
  #range(text: string): FakeMail[] {
    const last = this.#mails().at(-1)?.uid ?? 0;
    const spans = text.split(',').map((one) => one.split(':').map((end) => (end === '*' ? last : Number(end))));
    return this.#mails().filter(({ uid }) =>
      spans.some(([a = 0, b = a]) => uid >= Math.min(a, b) && uid <= Math.max(a, b)),
    );
  }

  #move(range: string, to: string, leaves: boolean): string {
    const folder = this.#deps.folders.get(to);
    if (folder === undefined || this.#deps.faults.refuseMove) return 'NO [TRYCREATE] no such folder';
    const mails = this.#mails();
    for (const mail of this.#range(range)) {
      folder.mails.push({ uid: folder.next++, raw: mail.raw, flags: new Set(mail.flags) });
      if (!leaves) continue;
      this.#say(`* ${mails.indexOf(mail) + 1} EXPUNGE`);
      mails.splice(mails.indexOf(mail), 1);
    }
    return 'OK moved';
  }

  async #fetch(rest: string): Promise<void> {
    const [, range = '', query = ''] = /^(\S+) (.*)$/.exec(rest) ?? [];
    for (const mail of this.#range(range)) {
      const message = parseMime(mail.raw);
      this.#deps.socket.write(`* ${this.#mails().indexOf(mail) + 1} FETCH (UID ${mail.uid}`);
      if (query.includes('RFC822.SIZE')) this.#deps.socket.write(` RFC822.SIZE ${mail.raw.length}`);
      if (query.includes('INTERNALDATE')) this.#deps.socket.write(' INTERNALDATE "10-Jan-2026 08:00:00 +0000"');
      if (query.includes('FLAGS')) this.#deps.socket.write(` FLAGS (${[...mail.flags].join(' ')})`);
      if (query.includes('BODYSTRUCTURE'))
        this.#deps.socket.write(` BODYSTRUCTURE ${bodyStructure(message)}`, 'latin1');
      for (const [, section = '', from, length] of query.matchAll(/BODY\.PEEK\[([^\]]*)\](?:<(\d+)\.(\d+)>)?/g)) {
        const whole = sectionOf(message, mail.raw, section.toUpperCase()) ?? '';
        const start = Number(from ?? 0);
        const piece = from === undefined ? whole : whole.slice(start, start + Number(length));
        this.#deps.socket.write(` BODY[${section}]${from === undefined ? '' : `<${from}>`} {${piece.length}}\r\n`);
        await this.#send(piece, from !== undefined);
      }
      this.#say(')');
    }
  }

  async #send(piece: string, isPart: boolean): Promise<void> {
    const { socket, faults } = this.#deps;
    if (isPart && faults.cutAfter !== undefined && piece.length > faults.cutAfter) {
      socket.write(piece.slice(0, faults.cutAfter), 'latin1');
      return this.cut();
    }
    if (!isPart || faults.byteMs === undefined) return void socket.write(piece, 'latin1');
    for (const byte of piece) {
      if (socket.destroyed) return;
      socket.write(byte, 'latin1');
      await new Promise((resolve) => setTimeout(resolve, faults.byteMs));
    }
  }
}
