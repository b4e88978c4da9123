/** Plays the commands of a page as somebody types them: its blocks, a shell in a folder of its own, and its ports. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { papergateCommand } from '../runner/built.ts';

const root = resolve(import.meta.dirname, '../..');

export interface DocumentedPage {
  readonly text: string;
  /** The page's blocks of a language, in order; of one of its chapters, if that is named. */
  blocks(language: string, heading?: string): string[];
}

/** Reads a page, by its path in the checkout. */
export function documentedPage(path: string): DocumentedPage {
  const text = readFileSync(join(root, path), 'utf8');
  return {
    text,
    blocks(language, heading = '') {
      const chapter =
        heading === '' ? text : (text.slice(text.indexOf(`\n## ${heading}\n`) + 1).split('\n## ')[0] ?? '');
      return [...chapter.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
        ([, block = '']) => block,
      );
    },
  };
}

/** A port of loopback that nothing listens at. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Makes a folder stand for the checkout: its command is at its top, and its packages are found. */
export async function playedCheckout(folder: string): Promise<void> {
  const command = `#!/bin/sh\nexec '${process.execPath}' '${papergateCommand}' "$@"\n`;
  await writeFile(join(folder, 'papergate'), command, { mode: 0o755 });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
}

/** A terminal. */
export interface DocumentedShell {
  /** Runs a block and returns what it printed. Fails when one of its commands does. */
  run(block: string): Promise<string>;
  /** Types a command that goes on until it is interrupted. */
  start(command: string): void;
  /** All that was printed for people and programs since the last `run`. */
  printed(): string;
  /** Ctrl-C: interrupts what was started, and ends the shell. Its exit code, or the signal. */
  interrupt(): Promise<number | NodeJS.Signals | null>;
  /** Its exit code, when there is nothing more to run. */
  end(): Promise<number | NodeJS.Signals | null>;
  kill(): void;
}

const mark = 'that was it';

/** Opens a shell that is given one block after another, as somebody pastes them. */
export function openShell(cwd: string, env: Record<string, string>): DocumentedShell {
  const shell = spawn('bash', ['-eu', '-o', 'pipefail', '-s'], { cwd, env, detached: true });
  let said = '';
  let words = '';
  let heard = (): void => {};
  const exit = new Promise<number | NodeJS.Signals | null>((done) => {
    shell.once('exit', (code, signal) => done(code ?? signal));
  });
  shell.stdout.on('data', (piece) => {
    said += piece;
    heard();
  });
  shell.stderr.on('data', (piece) => {
    words += piece;
  });
  return {
    async run(block) {
      said = '';
      const finished = new Promise<void>((done) => {
        heard = () => {
          if (said.includes(`\n${mark}\n`)) done();
        };
      });
      shell.stdin.write(`${block}\nprintf '\\n${mark}\\n'\n`);
      const code = await Promise.race([finished, exit]);
      if (code !== undefined) throw new Error(`the shell ended with ${code}: ${words.slice(-1000)}`);
      return said.slice(0, said.indexOf(`\n${mark}\n`));
    },
    start(command) {
      said = '';
      shell.stdin.write(`${command}\n`);
    },
    printed: () => said + words,
    interrupt() {
      // bash goes on reading when what it runs ends by itself after the signal.
      shell.stdin.end();
      signalGroup(shell, 'SIGINT');
      return exit;
    },
    end() {
      shell.stdin.end();
      return exit;
    },
    kill: () => signalGroup(shell, 'SIGKILL'),
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // Nothing of it is left.
  }
}
