/**
 * The commands of `papergate firmware`: they open the data folder, since firmware is the machine's and no
 * organization's.
 */
import { type Command, Option } from 'commander';

/** Adds them to the command table. */
export function addFirmwareCommands(program: Command): void {
  const firmware = program.command('firmware').description('firmware of frames: images and to whom they are offered');
  const dialect = () =>
    new Option('--dialect <name>', 'which frames it is built for').choices(['native', 'classic']).default('native');

  firmware
    .command('add <file>')
    .description('add a firmware image')
    .requiredOption('--kind <kind>', 'kind of frames it runs on (epd7, openpaper13)')
    .requiredOption('--version <version>', 'its semantic version, as the frames will report it')
    .addOption(dialect())
    .option('--sha256 <digest>', 'refuse the file unless it has this digest')
    .option('--json', 'print JSON')
    .action(async (file, options) => (await import('./firmware.ts')).add(file, options));
  firmware
    .command('offer')
    .description('offer an image to frames that run something older; takes the place of the rollout before')
    .requiredOption('--kind <kind>', 'kind of frames')
    .requiredOption('--version <version>', 'version of the image')
    .addOption(dialect())
    .option('--percent <n>', 'only to so many of the frames; can be raised later')
    .option('--frame <serial>', 'only to this frame')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./firmware.ts')).offer(options));
  firmware
    .command('list')
    .description('list rollouts and the progress of their frames')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./firmware.ts')).listFirmware(options));
  firmware
    .command('frames <rollout>')
    .description('list how far each frame of a rollout came')
    .option('--json', 'print JSON')
    .action(async (id, options) => (await import('./firmware.ts')).frames(id, options));
  firmware
    .command('pause <rollout>')
    .description('offer it no longer')
    .option('--json', 'print JSON')
    .action(async (id, options) => (await import('./firmware.ts')).change(id, 'pause', options));
  firmware
    .command('resume <rollout>')
    .description('offer it again; frames lost so far no longer pause it')
    .option('--json', 'print JSON')
    .action(async (id, options) => (await import('./firmware.ts')).change(id, 'resume', options));
  firmware
    .command('raise <rollout> <percent>')
    .description('reach more frames; those that were reached stay')
    .option('--json', 'print JSON')
    .action(async (id, percent, options) => (await import('./firmware.ts')).change(id, { percent }, options));
}
