/** The file of a report: looked at before the work begins, and whole or not there. */
import { randomUUID } from 'node:crypto';
import { realpath, rm, stat, writeFile } from 'node:fs/promises';
import { refuse } from '../../reasons/refusals.ts';
import { replaceFile, undefinedIfMissing } from '../../runtime/disk/durable-file.ts';
import { refusedFile } from '../../runtime/disk/refuse-file.ts';
import { errorCode } from '../../runtime/error-code.ts';

/**
 * Finds out whether a report can be written, before anything else is done: what it reports happens only once.
 * @param option the option that names the file, such as `--report`
 * @returns the path to give to `writeReport`
 * @throws Refusal `bad-configuration` that names the option
 */
export async function requireReportFile(option: string, path: string): Promise<string> {
  try {
    const there = path === '' ? undefined : await stat(path).catch(undefinedIfMissing);
    if (path === '' || (there !== undefined && !there.isFile())) {
      const problem = there?.isDirectory() === true ? `${path} is a folder` : `${path || 'nothing'} is not a file`;
      throw refuse('bad-configuration', {
        message: `${option}: ${problem}`,
        hint: 'name a file, for example report.html',
      });
    }
    const file = there === undefined ? path : await realpath(path);
    const aside = `${file}.${randomUUID()}`;
    await writeFile(aside, '', { mode: 0o600 });
    await rm(aside);
    return file;
  } catch (error) {
    throw refusedReport(error, path, option);
  }
}

/**
 * Writes a report in place of one that is there. Anyone who reads meanwhile gets the old one or the new one.
 * @throws Refusal `bad-configuration` that names the file, when it can no longer be written
 */
export async function writeReport(file: string, page: string): Promise<void> {
  await replaceFile(file, page).catch((error: unknown) => {
    throw refusedReport(error, file, 'The report');
  });
}

/** The error of the file next to it, in the name of the report. */
function refusedReport(error: unknown, path: string, named: string): unknown {
  const code = errorCode(error);
  return refusedFile(Object.assign(new Error(`${path}: ${code}`), { code }), path, named) ?? error;
}
