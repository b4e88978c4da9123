/** The command's entry: runs the command that was typed, and reports how it ended. */
import { CommanderError } from 'commander';
import { Refusal } from '../reasons/refusals.ts';
import { describeError } from '../runtime/logger.ts';
import { plainLines } from '../runtime/plain-lines.ts';
import { program } from './commands.ts';
import { Refused, Unreachable } from './ground/client.ts';
import { printFailure } from './ground/print.ts';
import { WrongUsage } from './ground/usage.ts';
import { refusedLoad } from './refused-driver.ts';

/** Exit codes: 0 done, 1 refused or failed, 2 usage, 3 unreachable. */
async function main(): Promise<number> {
  try {
    await program.parseAsync(process.argv);
    return 0;
  } catch (error) {
    // Commander has printed it already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof WrongUsage) return failWith(error, 2);
    if (error instanceof Unreachable) return failWith(error, 3);
    if (error instanceof Refusal || error instanceof Refused) return failWith(error, 1);
    const refused = refusedLoad(error);
    if (refused !== undefined) return failWith(refused, 1);
    process.stderr.write(`${plainLines(describeError(error))}\n`);
    return 1;
  }
}

function failWith(failure: { message: string; hint?: string | undefined }, exitCode: number): number {
  // Each setting that is refused has a line.
  printFailure(failure, failure instanceof Refusal && failure.code === 'bad-configuration');
  return exitCode;
}

// A reader may leave before the output ends, as `head` does: the command goes on to its own end and exit code.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await main();
