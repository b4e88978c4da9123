/** The commands `papergate drill` and `papergate examine`. */
import type { Command } from 'commander';
import { addExamineCommand } from '../deep/examine-command.ts';

/** Adds them to the command table. */
export function addDrillCommands(program: Command): void {
  addExamineCommand(program);
  program
    .command('drill')
    .description(
      'restore the newest backup next to the running service, compare both, and write a page to sign; changes nothing and sends nothing',
    )
    .option('--backup <file>', 'the backup to restore; the newest in PAPERGATE_BACKUPS when absent')
    .option(
      '--scratch <folder>',
      'where to restore it: outside of the data folder; the folder for temporary files when absent',
    )
    .option('--out <page>', 'the page, a new file that ends in .html; next to the backups when absent')
    .option('--key-file <file>', 'file of the key, in place of PAPERGATE_BACKUP_KEY')
    .option('--kill-node <name>', 'of several nodes: watch the others take over when this one is killed')
    .option('--kill-with <command>', 'with --kill-node: the command that kills it; you are asked to when absent')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./drill.ts')).drill(options));
}
