/** Processes beside a test: the real commands, as a person would start them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { papergateCommand } from './runner/built.ts';

const readyTimeoutMs = 60_000;

/** A running `papergate serve`. */
export interface ServeProcess {
  readonly http: string;
  readonly mqtt: string;
  readonly mqtts: string;
  /** Asks the process to end and waits until it has. */
  stop(): Promise<void>;
}

/** Starts `papergate serve` and waits for its ready line. Its log goes to a file. */
export function startServe(env: NodeJS.ProcessEnv, logFile: string): Promise<ServeProcess> {
  const child = spawn(process.execPath, [papergateCommand, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(logFile);
  let lastWords = '';
  child.stderr.pipe(log);
  child.stderr.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk).slice(-2000);
  });
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`the service ${why}:\n${lastWords}`));
    const timer = setTimeout(() => fail('was not ready in time'), readyTimeoutMs);
    child.once('exit', (code) => fail(`ended with code ${code}`)).on('error', ({ message }) => fail(message));
    log.on('error', ({ message }) => fail(message));
    createInterface({ input: child.stdout }).once('line', (line) => {
      clearTimeout(timer);
      resolve({ ...JSON.parse(line), stop: () => stopChild(child) });
    });
  });
}

/** Runs one papergate command to its end and returns its output as JSON. */
export function runCommand<Answer>(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Answer> {
  const child = spawn(process.execPath, [papergateCommand, ...args, '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject).once('close', (code) => {
      if (code === 0) resolve(JSON.parse(output));
      else reject(new Error(`papergate ${args.slice(0, 2).join(' ')} ended with code ${code}:\n${errors}`));
    });
  });
}

function stopChild(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
