/** The commands about frames and their credentials, which open the data folder themselves. */
import type { Command } from 'commander';

/** Adds `papergate frames` with its commands. */
export function addFrameCommands(program: Command): void {
  const frames = program.command('frames').description('frames and their credentials');
  frames
    .command('provision <serial>')
    .description('create credentials of a frame')
    .option(
      '--kind <kind>',
      'its panel, where the serial does not say: epd7, openpaper13, or one that docs/picture-files.md lists',
    )
    .option('--organization <id>', 'register the frame with this organization at once')
    .option('--take', 'take it from the organization that has it: its device ends, with the credentials made there')
    .option('--password', 'also create a password, for boards that cannot do client certificates')
    .requiredOption('--out <dir>', 'folder for SERIAL.key, SERIAL.crt and ca.crt')
    .option('--json', 'print JSON')
    .action(async (serial, options) => (await import('./frames.ts')).provision(serial, options));
  frames
    .command('renew <serial>')
    .description('give a frame a new certificate; earlier ones stay valid for an overlap and then expire')
    .requiredOption('--out <dir>', 'folder for SERIAL.key, SERIAL.crt and ca.crt')
    .option('--overlap-days <n>', 'how long earlier certificates stay valid', '30')
    .option('--json', 'print JSON')
    .action(async (serial, options) => (await import('./frames.ts')).renew(serial, options));
  frames
    .command('list')
    .description('list provisioned frames')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./frames.ts')).listFrames(options));
  frames
    .command('waiting')
    .description('list frames that ask for pictures by themselves and belong to nobody, or ask for another key')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./waiting-frames.ts')).listWaiting(options));
  frames
    .command('adopt <address>')
    .description(
      'make a frame that asks a device of an organization; its address is printed on it, such as AA:BB:CC:DD:EE:FF',
    )
    .option('--organization <id>', 'the organization that it will belong to; not needed where there is only one')
    .option('--kind <kind>', 'its panel, where the frame does not say, or to choose another, such as bwr-800x480')
    .option(
      '--asker <code>',
      'which one, where several devices use the address: the code that it shows and the list has',
    )
    .option('--json', 'print JSON')
    .action(async (address, options) => (await import('./waiting-frames.ts')).adopt(address, options));
  frames
    .command('plain <name>')
    .description('make a frame that polls one address, as ESPHome and scripts do, and print its address and its key')
    .requiredOption('--kind <kind>', 'its panel, such as mono-800x480; docs/plain-polling.md says which for what')
    .option('--organization <id>', 'the organization that it will belong to; not needed where there is only one')
    .option('--json', 'print JSON')
    .action(async (name, options) => (await import('./plain-frames.ts')).makePlain(name, options));
  frames
    .command('offline <name>')
    .description('make a frame for an OpenPaper with the vendor’s offline firmware, and print what is entered into it')
    .requiredOption('--kind <kind>', 'offline7 or offline13')
    .option('--organization <id>', 'the organization that it will belong to; not needed where there is only one')
    .option('--json', 'print JSON')
    .action(async (name, options) => (await import('./plain-frames.ts')).makeOffline(name, options));
  frames
    .command('revoke <serial>')
    .description('end every credential of a frame, at once')
    .option('--json', 'print JSON')
    .action(async (serial, options) => (await import('./frames.ts')).revoke(serial, options));
  addSessionCommands(frames);
}

function addSessionCommands(frames: Command): void {
  frames
    .command('sessions')
    .description('TLS sessions that frames keep over their sleep')
    .command('forget')
    .description('take no TLS session that frames keep over their sleep: each proves its key again at its next wake')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./frames.ts')).forgetKeptSessions(options));
}
