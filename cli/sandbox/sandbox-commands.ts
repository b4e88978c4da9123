/** The commands of a sandbox: it is run in a folder of its own, and its time is moved from outside it. */
import type { Command } from 'commander';

/** Adds `papergate sandbox` with its commands. */
export function addSandboxCommands(program: Command): void {
  const folder = process.env.PAPERGATE_DATA ?? 'papergate-sandbox';
  const sandbox = program
    .command('sandbox')
    .description(
      'run a service with simulated frames in a folder of its own, whose time you move: for trying integrations',
    )
    .option('--folder <dir>', 'its folder; PAPERGATE_DATA unless it is named', folder)
    .option('--frames <n>', 'how many frames it has', '3')
    .option('--speed <x>', 'how much faster than the machine its time runs; 0: it stands still', '600')
    .option('--trace', 'print what the frames do as JSON lines')
    .action(async (options) => (await import('./sandbox.ts')).runSandbox(options));

  sandbox
    .command('leap')
    .description('let the time of a sandbox that runs leap ahead; returns when all that was due has happened')
    .argument('<span>', 'such as 90s, 48h or 7d')
    .option('--folder <dir>', 'its folder; PAPERGATE_DATA unless it is named', folder)
    .action(async (span, options) => (await import('./sandbox.ts')).leapSandbox(span, options));

  sandbox
    .command('speed')
    .description('let the time of a sandbox that runs go faster or slower, or stand still')
    .argument('<x>', 'how much faster than the machine; 0: it stands still')
    .option('--folder <dir>', 'its folder; PAPERGATE_DATA unless it is named', folder)
    .action(async (times, options) => (await import('./sandbox.ts')).speedSandbox(times, options));
}
