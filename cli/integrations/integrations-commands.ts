/** The command `papergate integrations`, for those who host integrations of others. */
import type { Command } from 'commander';

const collected = (one: string, all: readonly string[] = []): readonly string[] => [...all, one];

/** Adds `papergate integrations`. */
export function addIntegrationsCommands(program: Command): void {
  const integrations = program.command('integrations').description('integrations that others wrote');
  integrations
    .command('serve')
    .description('host a folder of integrations, with a catalogue of them, until it is ended')
    .argument('<folder>', 'a checkout with applications/NAME/config.json, or a folder with NAME/config.json')
    .option('--port <n>', 'the port; 0 takes a free one', '3100')
    .option('--host <address>', 'the address that it listens at', '127.0.0.1')
    .option('--url <address>', 'the address under which the service reaches it, where that is another one')
    .option('--name <name>', 'what its catalogue is called; left out, what the folder is called')
    .option('--env <name>', 'a variable of this shell that handlers see; may be given several times', collected)
    .option('--home <network>', 'a network or host of the house that handlers may ask; several times', collected)
    .option('--json', 'print JSON')
    .action(async (folder, options) => (await import('./serve-folder.ts')).serveFolder(folder, options));
}
