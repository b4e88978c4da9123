/** A frame in C that keeps its TLS session over its sleep: compiled, provisioned, and woken as a process of its own. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { limits } from '../../firmware-protocol/limits.ts';
import { writeCredentials } from '../../gateway/provisioning/provision-frame.ts';
import type { GatewayWorld } from './world.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
/** The longest identity: its certificate, and so its ticket, is the largest. */
const serial = `epd7-${'b'.repeat(limits.frameIdCharacters - 5)}`;

/** One wake as the program prints it. */
interface WakeInC {
  readonly kept: 0 | 1;
  readonly resumed: 0 | 1;
  readonly code: number;
  readonly sessionBytes: number;
  readonly ticketBytes: number;
  readonly read: number;
  readonly written: number;
  readonly seconds: number;
  readonly early: number;
  readonly us: number;
  readonly cpuUs: number;
}

/** The frame, and the file that is its memory over the sleep. */
export interface Sleeper {
  readonly memory: string;
  /** Wakes once; through another port than the broker's where one is given. */
  wake(version: '1.2' | '1.3', port?: number): Promise<WakeInC>;
}

/** Compiles the frame and provisions it. */
export async function sleeperIn(world: GatewayWorld): Promise<Sleeper> {
  const program = join(world.dataFolder, 'sleeping-frame');
  const source = join(root, 'firmware-protocol/sleeping-frame.c');
  const flags = ['-std=gnu99', '-Wall', '-Wextra', '-Werror', '-I', join(root, 'firmware-protocol')];
  await run('cc', [...flags, '-o', program, source, '-lssl', '-lcrypto']);
  const folder = join(world.dataFolder, 'frame');
  await writeCredentials(folder, await world.provision(serial));
  const memory = join(folder, 'memory');
  const files = ['ca.crt', `${serial}.key`, `${serial}.crt`].map((name) => join(folder, name));
  return {
    memory,
    async wake(version, port = world.ports.tls) {
      const { stdout } = await run(program, [String(port), ...files, serial, memory, version]);
      return JSON.parse(stdout) as WakeInC;
    },
  };
}
