/** The commands about one frame: commanding it, and reading its history. */
import { type Command, Option } from 'commander';

/** Adds them below `papergate devices`. */
export function addDeviceCommands(devices: Command): void {
  const named = (name: string, description: string): Command =>
    devices.command(`${name} <id-or-serial>`).description(description).option('--json', 'print JSON');
  named('ping', 'check whether a frame answers; one that sleeps is not waited for').action(
    async (idOrSerial, options) => (await import('./ask-device.ts')).ping(idOrSerial, options),
  );
  named('reboot', 'restart a frame, now or at its next wake').action(async (idOrSerial, options) =>
    (await import('./ask-device.ts')).reboot(idOrSerial, options),
  );
  named('reset', 'put sleep and sensor settings back to their defaults; the frame stays registered').action(
    async (idOrSerial, options) => (await import('./ask-device.ts')).reset(idOrSerial, options),
  );
  named('identify', 'let a frame show which one it is, now or at its next wake').action(async (idOrSerial, options) =>
    (await import('./ask-device.ts')).identify(idOrSerial, options),
  );
  named('settings', 'set how a frame sleeps and hangs; an awake one is notified at once, others at their next wake')
    .option('--sleep <seconds>', 'how long it sleeps at most; it also wakes when its picture changes')
    .option(
      '--max-wakes <count>',
      'how often it wakes in a day at most; 0 for as often as its pictures change, 48 times at most',
    )
    .addOption(new Option('--orientation <orientation>', 'how it hangs').choices(['landscape', 'portrait']))
    .action(async (idOrSerial, options) => (await import('./devices.ts')).settings(idOrSerial, options));
  named('events', 'what happened to a frame')
    .option('--since <time>', 'an age such as 90m, 24h, 7d, or a time in ISO 8601', '24h')
    .option('--type <types>', 'only these, separated by commas')
    .action(async (idOrSerial, options) => (await import('./device-history.ts')).events(idOrSerial, options));
  named('logs', 'what a frame logged')
    .option('--since <time>', 'an age such as 90m, 24h, 7d, or a time in ISO 8601', '24h')
    .action(async (idOrSerial, options) => (await import('./device-history.ts')).logs(idOrSerial, options));
  named('why', 'why a frame shows what it shows: what came how far, what is missing, when it is expected').action(
    async (idOrSerial, options) => (await import('./device-history.ts')).why(idOrSerial, options),
  );
}
