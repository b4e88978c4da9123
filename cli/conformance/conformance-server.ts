/** `papergate conformance --server URL`: a simulated frame of TRMNL's protocol against a server, ours or another's. */
import { randomBytes } from 'node:crypto';
import { serialOfAddress } from '../../firmware-protocol/trmnl/mac-address.ts';
import { refuse } from '../../reasons/refusals.ts';
import { systemClock } from '../../runtime/clock.ts';
import { checkServer, panelOfTrial, type ServerTrial } from '../../simulator/server/check-server.ts';
import type { ServerCheck } from '../../simulator/server/judge-answers.ts';
import { printJson, printLine, printText } from '../ground/print.ts';
import { WrongUsage, wholeNumberOption } from '../ground/usage.ts';

/** The command's options, as commander gives them. */
export interface ServerConformance {
  readonly server: string;
  readonly mac?: string;
  readonly model: string;
  readonly firmware: string;
  readonly size?: string;
  readonly key?: string;
  readonly wait: string;
  readonly json?: boolean;
}

/**
 * Plays the frame and prints every check with what was seen.
 * @throws WrongUsage for an address, size or model that is none
 * @throws Refusal `not-conforming` when something that must be right is not, or the frame was never given a key
 */
export async function conformanceOfServer(options: ServerConformance): Promise<void> {
  const json = options.json === true;
  const trial = trialOf(options, (mac) => {
    if (json) printJson({ event: 'waits', mac });
    else printText(`${mac} waits for its owner to adopt it.`);
  });
  const checks = await checkServer(trial);
  const failed = checks.filter(({ level, kept }) => level === 'must' && !kept).length;
  const doubtful = checks.filter(({ level, kept }) => level === 'should' && !kept).length;
  const wasServed = checks.some(({ check }) => check.startsWith('display'));
  if (json) {
    for (const check of checks) printJson({ event: 'check', ...check });
    printJson({ event: 'summary', checks: checks.length, failed, doubtful, wasServed });
  } else {
    for (const check of checks) printCheck(check);
    printText(`\n${checks.length} checks, ${failed} failed, ${doubtful} doubtful`);
    if (!wasServed) printLine('The frame was given no key: adopt it and give --wait, or give the --key that it has.');
  }
  if (failed > 0 || !wasServed)
    throw refuse('not-conforming', {
      message: 'The server does not keep the protocol',
      hint: 'docs/polled-frames.md explains the checks',
    });
}

function trialOf(options: ServerConformance, waits: ServerTrial['waits']): ServerTrial {
  const { server, mac, model, firmware, key, wait } = options;
  if (!URL.canParse(server) || !/^https?:\/\//.test(server)) {
    throw new WrongUsage(`--server ${server}`, 'the base address as it is entered into a frame, http or https');
  }
  const serial = serialOfAddress(mac ?? `02${randomBytes(5).toString('hex')}`);
  if (serial === undefined) throw new WrongUsage(`--mac ${mac}`, 'a MAC address, for example AA:BB:CC:DD:EE:FF');
  const size = sizeOf(options.size);
  if (panelOfTrial({ model, firmware, size }) === undefined) {
    throw new WrongUsage(`--model ${model} is not known`, 'give its --size too, for example 800x480');
  }
  const waitMs = wholeNumberOption('--wait', wait, 0, 86_400) * 1000;
  return { base: withoutEndingSlashes(server), serial, model, firmware, size, key, waitMs, clock: systemClock, waits };
}

function sizeOf(text: string | undefined): ServerTrial['size'] {
  if (text === undefined) return undefined;
  const [, width, height] = /^(\d{2,4})x(\d{2,4})$/.exec(text) ?? [];
  if (width === undefined) throw new WrongUsage(`--size ${text}`, 'width and height in pixels, for example 800x480');
  return { width: Number(width), height: Number(height) };
}

function printCheck({ check, level, kept, right, seen }: ServerCheck): void {
  const verdict = kept ? 'ok' : level === 'must' ? 'FAILED' : 'doubtful';
  printLine(`${verdict.padEnd(9)} ${check.padEnd(32)} seen: ${seen}`);
  if (!kept) printLine(`${' '.repeat(42)} right: ${right}`);
}

function withoutEndingSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end--;
  return address.slice(0, end);
}
