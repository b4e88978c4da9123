/** The commands `papergate scenario` and `papergate record`. */
import type { Command } from 'commander';

/** Adds `papergate scenario`. */
export function addScenarioCommand(program: Command): void {
  program
    .command('scenario')
    .description(
      'play a scenario file: a fleet, what happens to it, and what is expected; exit code 1 when that does not happen',
    )
    .argument('[file]', 'YAML or JSON, or the name of an example; docs/scenarios.md has the words')
    .option('--examples', 'list the examples that come with it')
    .option('--print <name>', 'print an example, to begin with')
    .option('--live', 'over a service with live frames in a folder of its own, not under virtual time')
    .option('--speed <x>', 'live: how much faster than the machine its time runs', '600')
    .option('--seed <s>', 'in place of the seed of the file')
    .option('--report <file>', 'write what happened as one page')
    .option('--trace', 'offline: print everything that happens')
    .option('--json', 'print JSON')
    .action(async (named, options) => {
      const file = await (await import('./examples.ts')).fileToPlay(named, options);
      if (file !== undefined) await (await import('./scenario.ts')).runScenario(file, options);
    });
}

/** Adds `papergate record`. */
export function addRecordCommand(program: Command): void {
  program
    .command('record')
    .description('write what frames did as a scenario file, without secrets; works while serve is running')
    .argument('[file]', 'the file; printed when absent')
    .option('--from <time>', 'where it begins: an age such as 90m, 24h, 7d, or a time in ISO 8601', '24h')
    .option('--until <time>', 'where it ends, in the same way; now when absent')
    .option('--device <id-or-serial>', 'only this frame; may be given several times', (one, all: string[] = []) => [
      ...all,
      one,
    ])
    .option('--overwrite', 'write over a file that is there')
    .action(async (file, options) => (await import('./record.ts')).runRecord(file, options));
}
