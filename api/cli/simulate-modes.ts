/** Which options of `papergate simulate` one of its two modes alone has. */
import type { Command } from 'commander';
import { WrongUsage } from './usage.ts';

const onlyLive = ['dialect', 'organization', 'scenario', 'speed', 'panels'];
const onlyOffline = ['runs', 'stopAtFirst', 'trace'];

/**
 * An option that does nothing in this mode would be taken for one that does.
 * @throws WrongUsage that names the option
 */
export function requireOneMode(command: Command): void {
  const isOffline = command.getOptionValue('offline') === true;
  const others = isOffline ? onlyLive : onlyOffline;
  const typed = (name: string): boolean => command.getOptionValueSource(name) === 'cli';
  const found = command.options.find((option) => {
    const name = option.attributeName();
    return others.includes(name) && typed(name);
  });
  if (found === undefined) return;
  throw isOffline
    ? new WrongUsage(`${found.long} does nothing with --offline`, 'leave one of them out')
    : new WrongUsage(`${found.long} does nothing without --offline`, 'add --offline, or leave it out');
}
