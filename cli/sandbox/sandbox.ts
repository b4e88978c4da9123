/** `papergate sandbox`: runs one, and moves the time of one that runs. */

import { type SandboxMoment, type SandboxTime, sandboxTime } from '../../client/sandbox-time.ts';
import { PapergateError } from '../../client/send.ts';
import { calmLogger } from '../../runtime/calm-log.ts';
import { isoTime, systemClock } from '../../runtime/clock.ts';
import { processLogger } from '../../runtime/logger.ts';
import { duration, spanOfText } from '../../runtime/spans.ts';
import { Unreachable } from '../ground/client.ts';
import { printJson, printJsonLine, printProgress, printResult, printWarning } from '../ground/print.ts';
import { readMark } from '../ground/sandbox-mark.ts';
import { WrongUsage, wholeNumberOption } from '../ground/usage.ts';
import { listenForControl, maxSpeed } from './control.ts';
import { openSandbox } from './open-sandbox.ts';

/** The command's options, as commander gives them. */
export interface SandboxCommand {
  folder: string;
  frames: string;
  speed: string;
  trace?: boolean;
}

/** Runs a sandbox until SIGINT or SIGTERM. Prints one line of JSON when everything listens. */
export async function runSandbox({ folder, trace, ...options }: SandboxCommand): Promise<void> {
  const frames = wholeNumberOption('--frames', options.frames, 0, 50);
  const speed = wholeNumberOption('--speed', options.speed, 0, maxSpeed);
  const logger = calmLogger(processLogger('warn'), systemClock);
  const told = trace === true ? (event: object) => printJsonLine(JSON.stringify(event)) : () => {};
  const ended = new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  const sandbox = await openSandbox({ folder, frames, env: process.env, logger, trace: told });
  const control = await listenForControl(sandbox.clock, ({ message }) => printWarning(`moving time: ${message}`));
  try {
    await sandbox.tellControl(control.address);
    sandbox.clock.run(speed);
    const { http, mqtt, mqtts, organizationId, apiKey, link } = sandbox;
    const ready = { event: 'ready', http, mqtt, mqtts, console: `${http}/console` };
    const serials = [...sandbox.fleet.frames.keys()];
    printJson({ ...ready, link, organizationId, apiKey, time: control.address, frames: serials });
    await ended;
  } finally {
    await control.stop();
    await sandbox.stop();
  }
}

/** Lets the sandbox of a folder leap ahead, and prints its time when it has. */
export async function leapSandbox(span: string, { folder }: { folder: string }): Promise<void> {
  const ms = readSpan(span);
  await moveTime(folder, async (time) => {
    const began = (await time.now()).getTime();
    return time.leap(ms, ({ now }) => {
      const gone = Math.min(ms, now.getTime() - began);
      printProgress(`${duration(gone)} of ${duration(ms)}: it is ${isoTime(now.getTime())}`, gone >= ms);
    });
  });
}

/** Lets the sandbox of a folder run at another speed; at 0 its time stands still. */
export async function speedSandbox(times: string, { folder }: { folder: string }): Promise<void> {
  const speed = wholeNumberOption('speed', times, 0, maxSpeed);
  await moveTime(folder, (time) => time.speed(speed));
}

async function moveTime(folder: string, move: (time: SandboxTime) => Promise<SandboxMoment>): Promise<void> {
  const mark = await readMark(folder);
  const hint = 'papergate sandbox starts one; name its folder with --folder';
  if (mark?.control === undefined || mark.control === null)
    throw new Unreachable(`No sandbox runs over ${folder}`, hint);
  const { now, speed } = await move(sandboxTime(mark.control)).catch((error: unknown) => {
    if (!(error instanceof PapergateError)) throw error;
    if (error.code === 'timeout') throw new Unreachable(error.message, error.hint ?? hint);
    if (error.code === 'unreachable') throw new Unreachable(`The sandbox over ${folder} does not answer`, hint);
    throw new WrongUsage(error.message, 'papergate sandbox --help');
  });
  printResult({ now: isoTime(now.getTime()), speed }, true);
}

const maxDays = 400;

/** Reads how far to leap, in milliseconds. */
export function readSpan(text: string): number {
  const ms = spanOfText(text);
  if (ms !== undefined && ms <= maxDays * 86_400_000) return ms;
  throw new WrongUsage(`${text} is not a span of time`, `a number with its unit, up to ${maxDays}d: 90s, 48h, 7d`);
}
