/** The faults that a file of receipts may have. The words are for people who check one, with or without a service. */

/** Each fault in English; `{value}` is what it is about. */
export const recordFaults = {
  'not-a-record': 'this is not a record of Papergate: its first line does not say so',
  'not-text': 'the bytes of the file are not UTF-8',
  cut: 'the file was cut: the signed line at its end is missing',
  'more-behind': 'something was written behind the signed end',
  spelling: 'the line is not spelled as the service writes it',
  'line-unknown': 'a line of this kind does not belong here',
  number: 'receipt {value} stands where another one belongs',
  chain: 'the receipt does not follow from the one before it',
  columns: 'the columns of the row say something else than its line',
  'back-dated': 'the receipt is dated before the one in front of it',
  'other-organization': 'the line belongs to another organization',
  words: 'the words are not those that the receipt hides',
  root: 'the root of {value} is not that of the receipts before it',
  signature: 'the signature does not fit',
  'other-key': 'it is signed with a key that was not given: {value}',
  file: 'the lines are not those that were signed at the end',
  'known-root': 'the root of {value} is another one than the one that is known',
  'no-root': 'the root of {value} is known, and the file has none of that day',
} as const;

/** A fault, with the line that has it: 1 is the first. */
export interface RecordFault {
  readonly line: number;
  readonly code: keyof typeof recordFaults;
  /** The thing that its words name; empty where they say all. */
  readonly value: string;
}

/** Returns the words of a fault. */
export const wordsOfFault = ({ code, value }: RecordFault): string => recordFaults[code].replace('{value}', value);
