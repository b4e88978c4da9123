/** The commands about deadlines: which there are, and how what is due stands. */
import type { Command } from 'commander';

/** Adds `papergate deadlines`. */
export function addDeadlineCommands(program: Command): void {
  const deadlines = program.command('deadlines').description('what hangs on which frames by when, over HTTP');
  const named = (name: string, description: string): Command =>
    deadlines
      .command(name)
      .description(description)
      .option('--organization <id>', 'only those of this organization')
      .option('--json', 'print JSON');
  named('list', 'list deadlines, the oldest first').action(async (options) =>
    (await import('./deadlines.ts')).listDeadlines(options),
  );
  named('due', 'list what is due on frames, from 12 hours ago until 24 hours from now')
    .option('--device <id>', 'only on this device')
    .action(async (options) => (await import('./deadlines.ts')).listDue(options));
}
