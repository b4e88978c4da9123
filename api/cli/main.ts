/** The command table. Commands are HTTP clients, but for the process entries, which open the house themselves. */
import { Command, CommanderError } from 'commander';
import { describeError } from '../../gateway/runtime/logger.ts';
import { Refusal } from '../../gateway/runtime/refusals.ts';

const program = new Command('papergate')
  .description('A self-hosted paper display service.')
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text) })
  .showHelpAfterError();

program
  .command('serve')
  .description('run the whole service; prints one line of JSON on stdout when it is ready')
  .action(async () => (await import('./serve.ts')).serve());

program
  .command('setup')
  .description('create the first organization and its admin; works beside a running serve')
  .requiredOption('--organization <name>', 'name of the organization')
  .requiredOption('--email <address>', 'e-mail address of its admin')
  .requiredOption('--name <name>', 'name of its admin')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./setup.ts')).setup(options));

program
  .command('token')
  .description('access tokens')
  .command('issue')
  .description('issue a JWT that is valid for a day')
  .requiredOption('--user <id>', 'id of the user')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./setup.ts')).issueToken(options));

program
  .command('keys')
  .description('API keys')
  .command('create')
  .description('create an API key; it is shown once')
  .requiredOption('--user <id>', 'id of the user it acts as')
  .option('--name <name>', 'what it is for', 'papergate keys create')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./setup.ts')).createKeyFor(options));

const frames = program.command('frames').description('frames and their credentials');
frames
  .command('provision <serial>')
  .description('create credentials of a frame')
  .option('--kind <kind>', 'device kind, when the serial does not tell it (epd7, openpaper13)')
  .option('--organization <id>', 'register the frame with this organization at once')
  .option('--password', 'also create a password, for boards that cannot do client certificates')
  .requiredOption('--out <dir>', 'folder for SERIAL.key, SERIAL.crt and ca.crt')
  .option('--json', 'print JSON')
  .action(async (serial, options) => (await import('./frames.ts')).provision(serial, options));
frames
  .command('list')
  .description('list provisioned frames')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./frames.ts')).list(options));
frames
  .command('revoke <serial>')
  .description('end every credential of a frame, at once')
  .option('--json', 'print JSON')
  .action(async (serial, options) => (await import('./frames.ts')).revoke(serial, options));

program
  .command('simulate')
  .description('run a live fleet of simulated frames against a running service on this machine')
  .option('--frames <n>', 'how many', '3')
  .option('--dialect <name>', 'native or classic; a mixture when absent')
  .option('--organization <id>', 'register the frames with this organization')
  .option('--scenario <name>', 'what is wrong with them: well-behaved, or the name of a behaviour', 'well-behaved')
  .option('--speed <x>', 'how much faster than real frames they sleep and draw', '1')
  .option('--seed <s>', 'reproduces the fleet', '1')
  .option('--panels <dir>', 'keep what each glass shows as PNG')
  .option('--json', 'print JSON lines')
  .action(async (options) => (await import('./simulate.ts')).simulateFleet(options));

program
  .command('demo')
  .description('walk a photograph and a text from an integration to three simulated frames')
  .option('--keep', 'keep the service and the fleet running afterwards')
  .option('--out <dir>', 'folder for panels, callbacks and timeline', 'demo')
  .option('--photo <file>', 'a picture of your own (JPEG, PNG, WebP)')
  .action(async (options) => (await import('./demo/demo.ts')).demo(options));

/** Exit codes: 0 done, 1 refused or failed, 2 usage, 3 unreachable. */
async function main(): Promise<number> {
  try {
    await program.parseAsync(process.argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof Refusal) {
      process.stderr.write(`${error.message}\n${error.hint === undefined ? '' : `  ${error.hint}\n`}`);
      return 1;
    }
    process.stderr.write(`${describeError(error)}\n`);
    return 1;
  }
}

process.exitCode = await main();
