/** The commands of `papergate backup`. */
import type { Command } from 'commander';

/** Adds them to the command table. */
export function addBackupCommands(program: Command, version: string): void {
  const backup = program.command('backup').description('backups of a whole service, one file each');
  const keyFile = ['--key-file <file>', 'file of the key, in place of PAPERGATE_BACKUP_KEY'] as const;
  backup
    .command('create')
    .description('make a backup; works while serve is running')
    .option(
      '--out <place>',
      'a file that ends in .tar or .tar.age, or a folder; a new one in PAPERGATE_BACKUPS when absent',
    )
    .option(...keyFile)
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./backup.ts')).createBackupFile(version, options));
  backup
    .command('check <file>')
    .description('read a backup to its end, compare everything, and say what it holds')
    .option(...keyFile)
    .option('--json', 'print JSON')
    .action(async (file, options) => (await import('./backup.ts')).checkBackupFile(file, options));
  backup
    .command('restore [file]')
    .description('restore a backup, or a moment of an archive, into a folder that is not there yet, or is empty')
    .option('--at <time>', 'the moment of an archive: 2026-11-26T12:03:10Z; the newest one when absent')
    .option('--from <place>', 'the archive of the moment; that of PAPERGATE_ARCHIVE when absent')
    .option('--into <folder>', 'the new data folder; PAPERGATE_DATA when absent')
    .option(...keyFile)
    .option('--json', 'print JSON')
    .action(async (file, options) => (await import('./backup.ts')).restoreBackupFile(file, options));
  backup
    .command('list')
    .description('list the spans of time of which an archive holds every moment')
    .option('--from <place>', 'the archive; that of PAPERGATE_ARCHIVE when absent')
    .option(...keyFile)
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./archive.ts')).listArchive(options));
}
