/** The commands about the wall's record: its files, and checking one of receipts. */
import { Argument, type Command } from 'commander';

/** Adds `papergate wall` and `papergate verify`. */
export function addWallCommands(program: Command): void {
  program
    .command('wall')
    .description('write which pictures hung where as a file: a table, a document to print, or receipts')
    .addArgument(new Argument('<what>').choices(['csv', 'pdf', 'receipts']))
    .requiredOption('--organization <id>', 'id of the organization')
    .requiredOption('--out <file>', 'the file to write')
    .option('--from <time>', 'where it begins, in ISO 8601; with the record when absent')
    .option('--to <time>', 'where it ends, in ISO 8601; now when absent')
    .option('--frame <serial>', 'only this frame; receipts are of all frames')
    .option('--json', 'print JSON')
    .action(async (what, options) => (await import('./wall.ts')).writeWall(what, options));
  const each = (one: string, before: readonly string[] = []): readonly string[] => [...before, one];
  program
    .command('verify <file>')
    .description("check a file of receipts of the wall's record; needs no service")
    .option(
      '--key <hex>',
      'a public key that is trusted; may be given several times; the one in the file when absent',
      each,
    )
    .option('--root <day=hash>', 'the root of a day as it is known from a mail; may be given several times', each)
    .option('--roots <file>', 'a file of roots that was kept elsewhere')
    .option('--json', 'print JSON')
    .action(async (file, options) => (await import('./verify.ts')).verifyFile(file, options));
}
