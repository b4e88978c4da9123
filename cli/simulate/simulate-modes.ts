/** The scenarios of `papergate simulate`, and the options that only one of its two modes has. */
import type { Command } from 'commander';
import { behaviourSentences } from '../../simulator/behaviour-sentences.ts';
import { printWarning } from '../ground/print.ts';

const onlyLive = ['dialect', 'organization', 'scenario', 'speed', 'panels'];
const onlyOffline = ['runs', 'nodes', 'restores', 'stopAtFirst', 'trace'];

/** Warns of typed options that do nothing in this mode. They do no harm either, so the command goes on. */
export function tellIdleOptions(command: Command): void {
  const isOffline = command.getOptionValue('offline') === true;
  const others = isOffline ? onlyLive : onlyOffline;
  for (const option of command.options) {
    const name = option.attributeName();
    if (!others.includes(name) || command.getOptionValueSource(name) !== 'cli') continue;
    printWarning(`${option.long} does nothing ${isOffline ? 'with' : 'without'} --offline`);
  }
}

/** Lists what `--scenario` takes, each with what it does. */
export function scenarioHelp(): string {
  const rows = Object.entries({ 'well-behaved': 'does all that it should', ...behaviourSentences });
  return ['Scenarios:', ...rows.map(([name, sentence]) => `  ${name.padEnd(14)}  ${sentence}`)].join('\n');
}
