/** The contents of a fake IMAP server, and its faults. */

/** A message in a folder. */
export interface FakeMail {
  readonly uid: number;
  readonly raw: string;
  readonly flags: Set<string>;
}

/** A folder of the mailbox. */
export interface FakeFolder {
  validity: number;
  next: number;
  mails: FakeMail[];
}

/** The faults; changed while the server runs. */
export interface ImapFaults {
  /** Cuts the connection after so many bytes of a part. */
  cutAfter?: number | undefined;
  /** Sends one byte of a part after the other, so many milliseconds apart. */
  byteMs?: number | undefined;
  refuseLogin?: boolean;
  refuseMove?: boolean;
  /** Ends the connection at a command, before it is carried out or after. */
  cutAt?: { readonly command: string; readonly isAfter: boolean } | undefined;
}
/** The manner of a server. */
export interface ImapOptions {
  readonly capabilities?: string;
  readonly prefix?: string;
  readonly delimiter?: string;
}
