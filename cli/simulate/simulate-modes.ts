/** The command `papergate simulate`: its scenarios, and the options that only one of its two modes has. */
import type { Command } from 'commander';
import { climateSentences } from '../../simulator/air/climates.ts';
import { behaviourSentences } from '../../simulator/behaviours/behaviour-sentences.ts';
import { printWarning } from '../ground/print.ts';
import { WrongUsage } from '../ground/usage.ts';

const onlyLive = ['dialect', 'organization', 'scenario', 'climate', 'login', 'speed', 'spread', 'panels'];
const onlyOffline = [
  'runs',
  'nodes',
  'restores',
  'archives',
  'offlineFrames',
  'deadlines',
  'stopAtFirst',
  'trace',
  'shrink',
  'replay',
  'report',
  'nightly',
  'kinds',
  'workers',
  'for',
];
const onlyNightly = ['kinds', 'workers', 'for'];

/** Warns of typed options that do nothing in this mode. They do no harm either, so the command goes on. */
function tellIdleOptions(command: Command): void {
  const isOffline = command.getOptionValue('offline') === true;
  const isNightly = command.getOptionValue('nightly') === true;
  const others = isOffline ? onlyLive : onlyOffline;
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'cli') continue;
    if (others.includes(name)) printWarning(`${option.long} does nothing ${isOffline ? 'with' : 'without'} --offline`);
    else if (isOffline && !isNightly && onlyNightly.includes(name)) {
      printWarning(`${option.long} does nothing without --nightly`);
    }
  }
}

/** Lists what `--scenario` and `--climate` take, each with what it does. */
function scenarioHelp(): string {
  const listed = (named: Readonly<Record<string, string>>): string[] =>
    Object.entries(named).map(([name, sentence]) => `  ${name.padEnd(14)}  ${sentence}`);
  const scenarios = { 'well-behaved': 'does all that it should', ...behaviourSentences };
  return ['Scenarios:', ...listed(scenarios), '', 'Climates:', ...listed(climateSentences)].join('\n');
}

/** Adds `papergate simulate`. */
export function addSimulateCommand(program: Command): void {
  program
    .command('simulate')
    .description(
      'run a live fleet of simulated frames against a running service on this machine, or everything offline',
    )
    .option('--frames <n>', 'how many; 3 live, drawn from the seed offline')
    .option(
      '--dialect <name>',
      'live: native, classic, or trmnl and offline, which poll; a mixture of the first two when absent',
    )
    .option('--organization <id>', 'live: register the frames with this organization')
    .option(
      '--scenario <names>',
      'live: how they behave: well-behaved, or names of behaviours, separated by commas',
      'well-behaved',
    )
    .option('--climate <name>', 'live: the network between them and the service: a name, or a record as JSON', 'calm')
    .option('--login <how>', 'live: certificate, or password, which is made much faster', 'certificate')
    .option('--speed <x>', 'live: how much faster than real frames they sleep and draw', '1')
    .option('--spread <seconds>', 'live: switch them on within this time; a sleep of theirs for more than 20 frames')
    .option('--seed <s>', 'reproduces the fleet', '1')
    .option('--panels <dir>', 'live: keep what each glass shows as PNG, with fleet.png and fleet.html of many')
    .option('--offline', 'service, frames and people in one process under virtual time; ends with a verdict and a hash')
    .option('--nodes <n>', 'offline: how many nodes the service has, 1 to 3, or `drawn`: 2 or 3 from the seed')
    .option('--restores', 'offline: restore a backup in the middle of every run; without it of a few')
    .option('--archives', 'offline: archive the service in every run, and throw its disk away in the middle')
    .option('--offline-frames <n>', 'offline: how many more frames have the offline firmware; none without it')
    .option('--deadlines <n>', 'offline: how many deadlines people set; none without it')
    .option('--runs <n>', 'offline: how many seeds, SEED.1 and following', '1')
    .option('--stop-at-first', 'offline: end with the first broken promise')
    .option('--shrink [file]', 'offline: find the few events by which the seed breaks a promise, and write them down')
    .option('--replay <file>', 'offline: play what --shrink wrote; exit code 1 while a promise is still broken')
    .option('--report <file>', 'offline: write the seeds, their verdicts and what broke as one page')
    .option('--nightly', 'offline: play fresh seeds of all kinds on all cores until it is stopped, and write a page')
    .option('--kinds <names>', 'nightly: which kinds of seeds, separated by commas; all without it')
    .option('--workers <n>', 'nightly: how many processes play; one for each core without it')
    .option('--for <span>', 'nightly: end after so long, such as 8h')
    .option('--trace', 'offline: print everything that happens')
    .option('--json', 'print JSON lines')
    .addHelpText('after', () => `\n${scenarioHelp()}`)
    .action(async (options, command: Command) => {
      if (options.nightly === true && options.offline !== true) {
        throw new WrongUsage('--nightly plays offline', 'papergate simulate --offline --nightly');
      }
      tellIdleOptions(command);
      if (options.offline === true && options.nightly === true) {
        const typed = (name: string) => (command.getOptionValueSource(name) === 'cli' ? options[name] : undefined);
        return (await import('./nightly.ts')).playNightly({ ...options, seed: typed('seed'), runs: typed('runs') });
      }
      if (options.offline === true) return (await import('./simulate-offline.ts')).simulateOffline(options);
      return (await import('./simulate.ts')).simulateFleet(options);
    });
}
