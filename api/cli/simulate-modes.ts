/** Which options of `papergate simulate` one of its two modes alone has. */
import type { Command } from 'commander';

const onlyLive = ['dialect', 'organization', 'scenario', 'speed', 'panels'];
const onlyOffline = ['runs', 'stopAtFirst', 'trace'];

/** Says which of the typed options do nothing in this mode. They do no harm either, so the command goes on. */
export function tellIdleOptions(command: Command): void {
  const isOffline = command.getOptionValue('offline') === true;
  const others = isOffline ? onlyLive : onlyOffline;
  for (const option of command.options) {
    const name = option.attributeName();
    if (!others.includes(name) || command.getOptionValueSource(name) !== 'cli') continue;
    process.stderr.write(`${option.long} does nothing ${isOffline ? 'with' : 'without'} --offline\n`);
  }
}
