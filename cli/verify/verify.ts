/** `papergate verify`: checks a file of receipts of the wall's record, without the service that made it. */
import { readFile } from 'node:fs/promises';
import { wordsOfFault } from '../../api/record/record-faults.ts';
import { verifyRecord } from '../../api/record/verify-record.ts';
import { Refused } from '../ground/client.ts';
import { printJson, printLine } from '../ground/print.ts';
import { WrongUsage } from '../ground/usage.ts';

interface VerifyOptions {
  readonly key?: readonly string[];
  readonly root?: readonly string[];
  readonly roots?: string;
  readonly json?: boolean;
}

/**
 * Checks a file and prints what was found.
 * @throws Refused after the lines when something does not hold, for the exit code
 */
export async function verifyFile(file: string, options: VerifyOptions): Promise<void> {
  const keys = (options.key ?? []).map(readKey);
  const roots = new Map([...(await readRoots(options.roots)), ...(options.root ?? []).map(readRoot)]);
  const checked = verifyRecord(await read(file), { keys, roots });
  const faults = checked.faults.map((fault) => ({ line: fault.line, code: fault.code, message: wordsOfFault(fault) }));
  if (options.json === true) printJson({ ...checked, ok: faults.length === 0, faults });
  else {
    for (const { line, message } of faults) printLine(`line ${line}: ${message}`);
    if (faults.length === 0) {
      const trusted = keys.length > 0 ? 'signed with a key that was given' : 'signed with the key that the file names';
      printLine(`${checked.receipts} receipts and ${checked.roots} roots hold, ${trusted}: ${checked.keys.join(', ')}`);
    }
  }
  if (faults.length > 0) throw new Refused(0, `${file} does not hold`, undefined);
}

async function read(file: string): Promise<Buffer> {
  return readFile(file).catch((error: unknown) => {
    throw new WrongUsage(`${file} cannot be read`, String((error as NodeJS.ErrnoException).code));
  });
}

function readKey(text: string): string {
  const key = text.toLowerCase();
  if (/^[0-9a-f]{64}$/.test(key)) return key;
  throw new WrongUsage(`--key ${text}`, 'a public key is 64 characters of hex: GET /organizations/ID/record has it');
}

function readRoot(text: string): [string, string] {
  const [, day, head] = /^(\d{4}-\d\d-\d\d)=([0-9a-fA-F]{64})$/.exec(text) ?? [];
  if (day !== undefined && head !== undefined) return [day, head.toLowerCase()];
  throw new WrongUsage(`--root ${text}`, 'a day and the 64 characters of its root: 2026-03-31=5a1e…');
}

/** Reads the heads of a file in which every line is a root. */
async function readRoots(file: string | undefined): Promise<[string, string][]> {
  if (file === undefined) return [];
  const lines = (await read(file))
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line, at) => {
    try {
      const { day, head } = JSON.parse(line).root;
      return readRoot(`${day}=${head}`);
    } catch {
      throw new WrongUsage(
        `${file}: line ${at + 1} is not a root`,
        'record-roots/ORGANIZATION.jsonl of a data folder has them',
      );
    }
  });
}
