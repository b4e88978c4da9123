/** The commands about jobs: which there are, how far one is, and steering it. */
import type { Command } from 'commander';

/** Adds `papergate jobs`. */
export function addJobCommands(program: Command): void {
  const jobs = program
    .command('jobs')
    .description('changes of many frames that the service makes by itself, over HTTP');
  const named = (name: string, description: string): Command =>
    jobs
      .command(name)
      .description(description)
      .requiredOption('--organization <id>', 'id of the organization')
      .option('--json', 'print JSON');
  named('list', 'list jobs, the newest first').action(async (options) => (await import('./jobs.ts')).listJobs(options));
  named('show <id>', 'show how far a job is, and what became of each of its frames')
    .option('--csv', 'print the frames as CSV')
    .action(async (id, options) => (await import('./jobs.ts')).printJob(id, options));
  for (const [way, description] of [
    ['pause', 'give the change to no further frames for now'],
    ['resume', 'go on with a job that is paused'],
    ['cancel', 'leave out the frames that were not given the change yet'],
    ['undo', 'give every frame back what it had before'],
  ] as const) {
    named(`${way} <id>`, description).action(async (id, options) =>
      (await import('./jobs.ts')).steerPrinted(id, way, options),
    );
  }
}
