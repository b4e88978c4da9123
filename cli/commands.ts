/** The command table. Commands are HTTP clients, except those that open the data folder themselves. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { plainLines } from '../runtime/plain-lines.ts';
import { addBackupCommands } from './backup/backup-commands.ts';
import { addDeadlineCommands } from './devices/deadline-commands.ts';
import { addDeviceCommands } from './devices/device-commands.ts';
import { addJobCommands } from './devices/job-commands.ts';
import { addDrillCommands } from './drill/drill-commands.ts';
import { addFirmwareCommands } from './frames/firmware-commands.ts';
import { addFrameCommands } from './frames/frame-commands.ts';
import { addIntegrationsCommands } from './integrations/integrations-commands.ts';
import { addRecipeCommands } from './recipes/recipe-commands.ts';
import { addSandboxCommands } from './sandbox/sandbox-commands.ts';
import { addRecordCommand, addScenarioCommand } from './scenario/scenario-commands.ts';
import { addSimulateCommand } from './simulate/simulate-modes.ts';
import { addWallCommands } from './verify/verify-commands.ts';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));

export const program = new Command('papergate')
  .description('A self-hosted paper display service.')
  .enablePositionalOptions() // `firmware add` has a --version of its own
  .version(version)
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(plainLines(text)) })
  .showHelpAfterError();

program
  .command('serve')
  .description('run the whole service; prints one line of JSON on stdout when it is ready')
  .action(async () => (await import('./service/serve.ts')).serve());

program
  .command('setup')
  .description('create the first organization and its admin; works while serve is running')
  .requiredOption('--organization <name>', 'name of the organization')
  .requiredOption('--email <address>', 'email address of its admin')
  .requiredOption('--name <name>', 'name of its admin')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./service/setup.ts')).setup(options));

program
  .command('migrate')
  .description(
    'move a service that is stopped: its rows to PostgreSQL, or its files; continues where it was interrupted',
  )
  .option('--to <place>', 'postgres, to DATABASE_URL, or postgres://…: rows; database, s3, folder: files')
  .option('--dry-run', 'say which tables a start of this version would change, and change nothing')
  .option('--json', 'print JSON lines')
  .action(async ({ dryRun, ...options }) => {
    if (dryRun === true && options.to === undefined) {
      return (await import('./database/foresee-upgrade.ts')).foreseeUpgrade(options);
    }
    if (options.to !== undefined && dryRun === undefined)
      return (await import('./database/migrate.ts')).migrate(options);
    const { WrongUsage } = await import('./ground/usage.ts');
    throw new WrongUsage('migrate takes --to or --dry-run', 'papergate migrate --dry-run');
  });

program
  .command('console')
  .description('print a link that signs in to the console, once and within ten minutes; works while serve is running')
  .option('--user <id>', 'id of the user who signs in; the only admin unless it is given')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./service/console.ts')).printConsoleLink(options));

program
  .command('token')
  .description('access tokens')
  .command('issue')
  .description('issue a JWT that is valid for a day')
  .requiredOption('--user <id>', 'id of the user')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./service/setup.ts')).issueToken(options));

program
  .command('keys')
  .description('API keys')
  .command('create')
  .description('create an API key; it is shown once')
  .requiredOption('--user <id>', 'id of the user it acts as')
  .option('--name <name>', 'what it is for', 'papergate keys create')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./service/setup.ts')).createKeyFor(options));

addBackupCommands(program, version);
addDrillCommands(program);
addFrameCommands(program);
addFirmwareCommands(program);

const devices = program.command('devices').description('devices, over HTTP');
devices
  .command('list')
  .description('list devices and the state of their frames')
  .option('--organization <id>', 'only those of this organization')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./devices/devices.ts')).listDevices(options));
devices
  .command('show <id-or-serial>')
  .description('show one device and what is known of its frame')
  .option('--json', 'print JSON')
  .action(async (idOrSerial, options) => (await import('./devices/devices.ts')).printDevice(idOrSerial, options));
devices
  .command('register <serial>')
  .description('register a provisioned frame with an organization, or change what is set for it')
  .requiredOption('--organization <id>', 'id of the organization')
  .option('--name <name>', 'what people call it')
  .option('--paper <id>', 'the paper that it shows')
  .addOption(new Option('--orientation <side>', 'how it hangs').choices(['landscape', 'portrait']))
  .option('--sleep <seconds>', 'how long it sleeps between wakes')
  .option('--json', 'print JSON')
  .action(async (serial, options) => (await import('./devices/devices.ts')).register(serial, options));
addDeviceCommands(devices);
addJobCommands(program);
addDeadlineCommands(program);

const papers = program.command('papers').description('papers, over HTTP');
papers
  .command('list')
  .description('list papers')
  .option('--organization <id>', 'only those of this organization')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./papers/papers.ts')).listPapers(options));
papers
  .command('show <id>')
  .description('show one paper')
  .option('--json', 'print JSON')
  .action(async (id, options) => (await import('./papers/papers.ts')).printOnePaper(id, options));
papers
  .command('create')
  .description('create a paper for a device')
  .requiredOption('--device <id>', 'id of the device')
  .requiredOption('--organization <id>', 'id of the organization')
  .requiredOption('--kind <kind>', 'image, plugin, or another kind of paper')
  .option('--title <title>', 'what people call it')
  .option('--meta <json>', 'its settings, as a JSON object')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./papers/papers.ts')).create(options));
papers
  .command('push <paperId> <picture>')
  .description('upload the picture of a paper (GIF, JPEG, PNG, WebP, HEIC, AVIF)')
  .option('--force', 'send it to the frames even if they already have it')
  .option('--json', 'print JSON')
  .action(async (paperId, picture, options) => (await import('./papers/papers.ts')).push(paperId, picture, options));

program
  .command('alerts')
  .description('messages about outages to the operator')
  .command('test')
  .description('send a test message to each receiver of PAPERGATE_ALERTS_TO, and say what it answered')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./service/alerts.ts')).testAlerts(options));

const nodes = program.command('nodes').description('the processes of a service that runs as several nodes');
nodes
  .command('list')
  .description('list the nodes and their state')
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./service/nodes.ts')).listNodes(options));
nodes
  .command('drain <name>')
  .description('end a node as SIGTERM does: it takes no new work, lets frames finish, and ends')
  .action(async (name) => (await import('./service/nodes.ts')).drainNode(name));
nodes
  .command('forget <name>')
  .description('remove what a dead node left')
  .action(async (name) => (await import('./service/nodes.ts')).forgetDeadNode(name));
nodes
  .command('contract')
  .description('make the changes of the tables that waited for older nodes to end')
  .action(async () => (await import('./service/nodes.ts')).contractTables());

program
  .command('doctor')
  .description('examine a service and say what to do next; exit codes 0 well, 1 something failed, 3 unreachable')
  .option('--json', 'print JSON')
  .option('--deep', 'check the rows of the database for what must never be true, and the files that they name')
  .option('--files', 'with --deep: read every file that a row names, and compare its digest')
  .action(async (options) => {
    if (options.deep === true) return (await import('./deep/doctor-deep.ts')).doctorDeep(options);
    if (options.files === true)
      throw new (await import('./ground/usage.ts')).WrongUsage(
        '--files goes with --deep',
        'papergate doctor --deep --files',
      );
    return (await import('./doctor/doctor.ts')).doctor(options);
  });

program
  .command('watch')
  .description('follow what happens to frames and deliveries, until Ctrl-C')
  .option('--until-synced <paper>', 'end when every frame that shows this paper is proven to show its newest content')
  .option('--timeout <seconds>', 'with --until-synced: how long to wait for that', '600')
  .option('--interval <seconds>', 'between two looks', '2')
  .option('--json', 'print JSON lines')
  .action(async (options) => (await import('./papers/watch.ts')).watch(options));

addSandboxCommands(program);
addSimulateCommand(program);
addRecipeCommands(program);
addIntegrationsCommands(program);
addScenarioCommand(program);
addRecordCommand(program);
addWallCommands(program);

program
  .command('conformance')
  .description(
    'play the stories of the protocol against a frame, or a frame that polls against a server, and say which clauses are kept',
  )
  .option('--serial <serial>', 'serial of the frame, for example epd7-b0c1d2e3f405')
  .option(
    '--simulated [behaviours]',
    'try a simulated frame in place of hardware, with these behaviours, separated by commas',
  )
  .option('--server <url>', 'try a server instead: the base address as it is entered into a frame that polls')
  .option('--mac <address>', 'with --server: the MAC address of the frame; made up when absent')
  .option('--model <name>', 'with --server: what the frame is', 'og')
  .option('--firmware <version>', 'with --server: its firmware', '1.8.15')
  .option('--size <pixels>', 'with --server: its pixels where the model does not say, for example 800x480')
  .option('--key <key>', 'with --server: the key that it has; it asks for one when absent')
  .option('--wait <seconds>', 'with --server: how long it waits to be adopted', '0')
  .option('--kind <name>', 'its panel, where the serial does not say: any that docs/picture-files.md lists')
  .addOption(new Option('--dialect <name>', 'what it speaks').choices(['native', 'classic']).default('native'))
  .option('--credentials <dir>', 'folder for an authority of its own and the credentials', 'conformance')
  .option('--host <name>', 'name or address by which the frame reaches this machine', '127.0.0.1')
  .option('--port <n>', 'MQTT over TLS; 0 takes a free port', '8883')
  .option('--http-port <n>', 'picture downloads; 0 takes a free port', '8884')
  .option('--report <file>', 'write what was found as one HTML page')
  .option('--json', 'print JSON lines')
  .action(async (options) => {
    if (options.server !== undefined && options.simulated !== undefined) {
      const hint = 'with --server a simulated frame is played anyway: leave --simulated out';
      throw new (await import('./ground/usage.ts')).WrongUsage('--server and --simulated', hint);
    }
    if (options.server !== undefined)
      return (await import('./conformance/conformance-server.ts')).conformanceOfServer(options);
    return (await import('./conformance/conformance.ts')).conformance(options);
  });

program
  .command('demo')
  .description('walk a photograph and a text from an integration to three simulated frames')
  .option('--keep', 'keep the service and the fleet running afterwards')
  .option('--out <dir>', 'folder for panels, callbacks and timeline', 'demo')
  .option('--photo <file>', 'a picture of your own (JPEG, PNG, WebP)')
  .action(async (options) => (await import('./demo/demo.ts')).demo(options));
