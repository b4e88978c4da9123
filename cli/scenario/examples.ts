/** The scenarios that come with Papergate: `testbed/scenario/examples`, each by the name of its file. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { printJson, printLine, printText } from '../ground/print.ts';
import { WrongUsage } from '../ground/usage.ts';

/** The options of `papergate scenario` that print in place of playing, and the scenario to play. */
export interface ExampleOptions {
  readonly examples?: boolean;
  readonly print?: string;
  readonly json?: boolean;
}

const folder = join(import.meta.dirname, '../../testbed/scenario/examples');
const suffix = '.yaml';

/**
 * Lists or prints examples where that is asked.
 * @returns the file to play: the one that was named, or else the example of that name; undefined when nothing is to be played
 * @throws WrongUsage
 */
export async function fileToPlay(
  file: string | undefined,
  { examples, print, json }: ExampleOptions,
): Promise<string | undefined> {
  const ways = [file !== undefined && 'a file', examples && '--examples', print !== undefined && '--print'];
  const given = ways.filter((way) => typeof way === 'string');
  if (given.length > 1) throw new WrongUsage(`${given.join(' and ')} do not go together`, 'give one of them');
  if (examples) {
    await listExamples(json === true);
    return undefined;
  }
  if (print !== undefined) {
    printText((await readFile(await requireExample(print), 'utf8')).trimEnd());
    return undefined;
  }
  if (file === undefined) throw new WrongUsage('A scenario file is missing', hint);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return requireExample(file, `There is no ${file}`);
  return file;
}

const hint =
  'papergate scenario --examples lists those that can be played by their name; docs/scenarios.md has the words';

async function exampleNames(): Promise<string[]> {
  const files = await readdir(folder);
  return files
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length))
    .sort();
}

async function requireExample(name: string, otherwise = `There is no example ${name}`): Promise<string> {
  if ((await exampleNames()).includes(name)) return join(folder, name + suffix);
  throw new WrongUsage(otherwise, hint);
}

/** Prints the name of each example, and the first line of its file. */
async function listExamples(isJson: boolean): Promise<void> {
  const names = await exampleNames();
  const listed = await Promise.all(
    names.map(async (name) => {
      const [first = ''] = (await readFile(join(folder, name + suffix), 'utf8')).split('\n');
      return { name, about: first.replace(/^#\s*/, '') };
    }),
  );
  if (isJson) return printJson(listed);
  const width = Math.max(...names.map((name) => name.length));
  for (const { name, about } of listed) printLine(`${name.padEnd(width)}  ${about}`);
}
