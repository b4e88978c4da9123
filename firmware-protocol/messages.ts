/**
 * The native dialect, version 1: THE table. Types, codec, broker permissions, the simulator's handlers and the rule
 * that every row has vectors derive from it.
 */
import { z } from 'zod';
import { limits } from './limits.ts';
import { wakeReasons } from './sleep.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Text of so many code points, without NUL: C would end it there, and PostgreSQL cannot store it. */
const text = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((said) => !said.includes('\0'), 'contains NUL');
const id = text(64).min(1);
const version = z.int().min(0).max(limits.fileVersion);
const seconds = z.int().min(0).max(604_800);
const data = z.record(text(40), z.union([text(200), z.number(), z.boolean(), z.null()]));

const hello = z.object({
  boot: z.int().min(0),
  firmware: text(32),
  panel: text(32),
  fileVersion: version,
  sha256: sha256.optional(),
  pictureSynced: z.boolean(),
  batteryMv: z.int().min(0).max(20_000).optional(),
  rssi: z.int().min(-150).max(0).optional(),
  wake: z.enum(wakeReasons),
  orientation: z.int().min(-1).max(3),
  sleepSeconds: seconds,
});

const desired = z.object({
  time: z.int().min(0),
  settings: z.object({ sleepSeconds: seconds }),
  picture: z
    .object({
      upload: id,
      fileVersion: version,
      url: text(300),
      bytes: z.int().min(1),
      sha256,
      format: z.enum(['nibble']),
    })
    .optional(),
});

const report = z.object({
  upload: id,
  fileVersion: version,
  stage: z.enum(['fetched', 'shown', 'failed']),
  reason: text(200).optional(),
  sha256: sha256.optional(),
  pictureSynced: z.boolean(),
});

const command = z.object({ id, name: z.enum(['ping', 'reboot', 'reset', 'identify']), data: data.optional() });
const reply = z.object({ command: id, ok: z.boolean(), data: data.optional() });
const log = z.object({
  level: z.enum(['debug', 'info', 'warn', 'error']),
  message: text(limits.logCharacters),
});
const bye = z.object({ sleepSeconds: seconds });

/** One row of the protocol: who says it, under which topic, in which shape, and why it exists. */
export interface MessageRow<Shape extends z.ZodType = z.ZodType> {
  readonly from: 'frame' | 'gateway';
  readonly qos: 1;
  readonly retain: false;
  readonly since: 1;
  readonly schema: Shape;
  readonly why: string;
}

function row<Shape extends z.ZodType>(from: 'frame' | 'gateway', schema: Shape, why: string): MessageRow<Shape> {
  return { from, qos: 1, retain: false, since: 1, schema, why };
}

/** The protocol. Unknown fields are ignored, so that a later release may add some. */
export const messages = {
  hello: row('frame', hello, 'opens a wake: what the frame is, what its glass shows, how it fares'),
  desired: row('gateway', desired, 'answers hello, and tells an awake frame at once: the newest picture and settings'),
  report: row(
    'frame',
    report,
    'says how far one upload came; evidence together with the gateway’s own download record',
  ),
  command: row('gateway', command, 'asks an awake frame to do something now'),
  reply: row('frame', reply, 'answers one command by its id'),
  log: row('frame', log, 'lets a developer read along; never evidence'),
  bye: row('frame', bye, 'closes a wake and announces the sleep, so that silence can be told from trouble'),
} as const;

export type MessageName = keyof typeof messages;
export type Message<Name extends MessageName> = z.infer<(typeof messages)[Name]['schema']>;
export type Hello = Message<'hello'>;
export type Desired = Message<'desired'>;
export type Report = Message<'report'>;
