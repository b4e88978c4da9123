/** Runs commands of ours in processes of their own, for a service that has other things to do. */
import { spawn } from 'node:child_process';

/** The most of an output that is kept. */
const maxOutput = 4 * 1024 * 1024;

/**
 * Returns a function that runs `papergate` in a separate process, and returns its output: it reads and encrypts for minutes,
 * and closing SQLite's file here would end the locks that this process has on it.
 * @param command the path of the command's entry
 * @param env its environment: that of the service, whose settings hold for its backups
 */
export function papergateRunner(command: string, env: NodeJS.ProcessEnv): (args: readonly string[]) => Promise<string> {
  return (args) => {
    const child = spawn(process.execPath, [...process.execArgv, command, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
    let [printed, said] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed = (printed + chunk).slice(0, maxOutput);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(0, 2_000);
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject).once('close', (code) => {
        if (code === 0) resolve(printed);
        else reject(new Error(said.trim() || `papergate ${args.slice(0, 2).join(' ')} ended with ${code}`));
      });
    });
  };
}
