/** The command `papergate examine`. */
import type { Command } from 'commander';

/** Adds it to the command table. */
export function addExamineCommand(program: Command): void {
  program
    .command('examine')
    .description('read the pages of the database and the stored files for damage, as the service does each night')
    .option('--minutes <number>', 'stop after so many minutes, and say where')
    .option('--after <place>', 'go on after a place, as it was printed')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./examine.ts')).examine(options));
}
