/** `papergate wall`: the wall's record as files, over HTTP. */
import { writeFile } from 'node:fs/promises';
import { refusedFile } from '../../runtime/disk/refuse-file.ts';
import { callApi, credentialsFromEnvironment } from '../ground/client.ts';
import { printResult } from '../ground/print.ts';
import { WrongUsage } from '../ground/usage.ts';

interface WallOptions {
  readonly organization: string;
  readonly out: string;
  readonly from?: string;
  readonly to?: string;
  readonly frame?: string;
  readonly json?: boolean;
}

/**
 * Writes a file of the record.
 * @throws Refusal `bad-configuration` for a place that cannot be written
 */
export async function writeWall(
  what: 'csv' | 'pdf' | 'receipts',
  { organization, out, from, to, frame, json }: WallOptions,
): Promise<void> {
  const name = `GET /organizations/{organizationId}/record/${what}` as const;
  if (what === 'receipts' && frame !== undefined) {
    throw new WrongUsage(
      'receipts are of all frames',
      'leave out --frame: a chain without some of its lines does not hold',
    );
  }
  const query = { from, to, ...(what !== 'receipts' && { frame }) };
  const file = await callApi(credentialsFromEnvironment(), name, { path: { organizationId: organization }, query });
  await writeFile(out, Buffer.from(await file.arrayBuffer())).catch((error: unknown) => {
    throw refusedFile(error, out, '--out') ?? error;
  });
  printResult({ file: out, bytes: file.size }, json);
}
