/** `papergate conformance --server URL`: a simulated frame of TRMNL's protocol against a server, ours or another's. */
import { randomBytes } from 'node:crypto';
import { papergateVersion } from '../../api/status/versions.ts';
import { addressOfSerial, serialOfAddress } from '../../firmware-protocol/trmnl/mac-address.ts';
import { refuse } from '../../reasons/refusals.ts';
import { keepProcess, systemClock } from '../../runtime/clock.ts';
import { serverReport } from '../../testbed/conformance/report/server-report.ts';
import { withoutSecrets } from '../../testbed/conformance/transcript.ts';
import { commandLine } from '../../testbed/report/command-line.ts';
import { requireReportFile, writeReport } from '../../testbed/report/report-file.ts';
import { checkServer, panelOfTrial, type ServerCall, type ServerTrial } from '../../testbed/server/check-server.ts';
import { type MissingChecks, missingChecks, type ServerCheck } from '../../testbed/server/judge-answers.ts';
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
  readonly report?: string;
}

/**
 * Plays the frame and prints every check with what was seen.
 * @throws WrongUsage for an invalid address, size or model
 * @throws Refusal `not-conforming` when something that must be right is not, or the frame was never given a key
 */
export async function conformanceOfServer(options: ServerConformance): Promise<void> {
  const json = options.json === true;
  const calls: ServerCall[] = [];
  const trial = trialOf(options, {
    waits(mac) {
      if (json) printJson({ event: 'waits', mac });
      else printText(`${mac} waits for its owner to adopt it.`);
    },
    heard: (call) => remember(calls, call),
  });
  const file = options.report === undefined ? undefined : await requireReportFile('--report', options.report);
  const startedAt = systemClock.now();
  // While the frame waits for its owner nothing but a timer is under way.
  const checks = await checkServer(trial).finally(keepProcess());
  const missing = missingChecks(checks);
  printChecks(checks, missing, json);
  if (file !== undefined) {
    const endedAt = systemClock.now();
    const { base, serial, model, firmware } = trial;
    const mac = addressOfSerial(serial) ?? serial;
    const tried = { base, model, firmware, mac, startedAt, endedAt, release: papergateVersion, checks, missing, calls };
    await writeReport(file, serverReport({ ...tried, command: commandOf(options, mac) }));
    if (!json) printText(`Report: ${file}`);
  }
  if (checks.some(({ level, kept }) => level === 'must' && !kept) || !wasServed(checks))
    throw refuse('not-conforming', {
      message: 'The server does not keep the protocol',
      hint: 'docs/polled-frames.md explains the checks',
    });
}

/** Keeps a call. When a frame asks for its key repeatedly, only the first and the last call are kept. */
function remember(calls: ServerCall[], call: ServerCall): void {
  const isAgain = call.wants === 'setup' && calls.filter(({ wants }) => wants === 'setup').length > 1;
  if (isAgain) calls[calls.length - 1] = call;
  else calls.push(call);
}

function wasServed(checks: readonly ServerCheck[]): boolean {
  return checks.some(({ check }) => check.startsWith('display'));
}

function printChecks(checks: readonly ServerCheck[], missing: readonly MissingChecks[], json: boolean): void {
  const failed = checks.filter(({ level, kept }) => level === 'must' && !kept).length;
  const doubtful = checks.filter(({ level, kept }) => level === 'should' && !kept).length;
  if (json) {
    for (const check of checks) printJson({ event: 'check', ...check, seen: withoutSecrets(check.seen) });
    for (const left of missing) printJson({ event: 'not tried', ...left });
    printJson({ event: 'summary', checks: checks.length, failed, doubtful, wasServed: wasServed(checks) });
    return;
  }
  for (const check of checks) printCheck(check);
  for (const { checks: left, why } of missing) printLine(`not tried ${left}: ${why}`);
  printText(`\n${checks.length} checks, ${failed} failed, ${doubtful} doubtful`);
  if (!wasServed(checks))
    printLine('The frame was given no key: adopt it and give --wait, or give the --key that it has.');
}

/** The command that tries the same again, with the frame's address and without its key. */
function commandOf({ server, model, firmware, size, key, wait }: ServerConformance, mac: string): string {
  const ownKey = key === undefined ? undefined : 'KEY';
  return commandLine('conformance', { server: withoutSecrets(server), model, firmware, mac, size, key: ownKey, wait });
}

function trialOf(options: ServerConformance, told: Pick<ServerTrial, 'waits' | 'heard'>): ServerTrial {
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
  return {
    base: withoutEndingSlashes(server),
    serial,
    model,
    firmware,
    size,
    key,
    waitMs,
    clock: systemClock,
    ...told,
  };
}

function sizeOf(text: string | undefined): ServerTrial['size'] {
  if (text === undefined) return undefined;
  const [, width, height] = /^(\d{2,4})x(\d{2,4})$/.exec(text) ?? [];
  if (width === undefined) throw new WrongUsage(`--size ${text}`, 'width and height in pixels, for example 800x480');
  return { width: Number(width), height: Number(height) };
}

function printCheck({ check, level, kept, right, seen }: ServerCheck): void {
  const verdict = kept ? 'ok' : level === 'must' ? 'FAILED' : 'doubtful';
  printLine(`${verdict.padEnd(9)} ${check.padEnd(32)} seen: ${withoutSecrets(seen)}`);
  if (!kept) printLine(`${' '.repeat(42)} right: ${right}`);
}

function withoutEndingSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end--;
  return address.slice(0, end);
}
