/** The command `papergate verify`. */
import type { Command } from 'commander';

/** Adds it to the command table. */
export function addVerifyCommand(program: Command): void {
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
