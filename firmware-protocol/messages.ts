/**
 * The native dialect, version 1, as one table. Types, codec, broker permissions, the simulator's handlers, the
 * reference in docs/protocol.md, the C header and the rule that every field has vectors derive from it.
 */
import { z } from 'zod';
import { firmwareVersionCharacters } from './firmware-version.ts';
import { limits, reportRanges } from './limits.ts';
import { packings } from './panel-record.ts';
import { wakeReasons } from './sleep.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** A text of at most so many code points, without NUL: C would end it there, and PostgreSQL cannot store it. */
const text = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((value) => !value.includes('\0'), 'contains NUL');
const id = text(64).min(1);
const version = z.int().min(0).max(limits.fileVersion);
const within = ({ lowest, highest }: { lowest: number; highest: number }) => z.int().min(lowest).max(highest);
const seconds = within(reportRanges.sleepSeconds);
/** The key of the reason for which a frame refuses, in a reply. */
export const refusalKey = 'problem';
const data = z.record(text(40), z.union([text(200), z.number(), z.boolean(), z.null()]));

const hello = z.object({
  boot: z.int().min(0).describe('how often the frame has started, counted in memory that survives sleep'),
  firmware: text(32).describe('firmware version'),
  panel: text(32).describe('the panel’s name, see [the picture file](picture-files.md#the-picture-file)'),
  fileVersion: version.describe('version of the picture that was drawn last'),
  sha256: sha256.optional().describe('digest of the file on the glass; left out when there is none'),
  pictureSynced: z.boolean().describe('whether the glass shows the picture of `fileVersion`, completely drawn'),
  batteryMv: within(reportRanges.batteryMv).optional().describe('battery in millivolts'),
  rssi: within(reportRanges.rssi).optional().describe('signal strength in dBm'),
  wake: z.enum(wakeReasons).describe('what woke the frame'),
  orientation: within(reportRanges.orientation).describe(
    'the frame’s own word for how it hangs, -1 when it cannot tell. For information: the picture is made for the orientation set for the device or paper',
  ),
  sleepSeconds: seconds.describe('how long the frame will sleep after this wake, as far as it knows'),
});

const desired = z.object({
  time: z.int().min(0).describe('the gateway’s clock, seconds since 1970 UTC'),
  settings: z
    .object({ sleepSeconds: seconds.describe('how long to sleep after this wake. This gateway sends 60..86400') })
    .describe('what a person has set for the frame'),
  picture: z
    .object({
      upload: id.describe('id of the upload, to be repeated in reports'),
      fileVersion: version.describe('take the picture if this is greater than the version you have'),
      url: text(300).describe('where to GET the file. Unguessable and without credentials: treat it as a secret'),
      bytes: z.int().min(1).describe('exact length of the file'),
      sha256: sha256.describe('digest of the file'),
      format: z.enum(packings).describe('how it is packed'),
      unchanged: z
        .boolean()
        .optional()
        .describe(
          '`true`: the gateway saw you take this very file before. If your glass shows `sha256`, report `shown` without fetching or drawing it again',
        ),
    })
    .optional()
    .describe('absent: leave the glass as it is'),
  firmware: z
    .object({
      offer: id.describe('id of the offer, to be repeated in `update`'),
      version: text(firmwareVersionCharacters).min(1).describe('semantic version of the firmware'),
      // The address is shorter than a picture's, so that both fit into one message.
      url: text(200).describe('where to GET the image, as secret as a picture’s'),
      bytes: z.int().min(1).describe('exact length of the image'),
      sha256: sha256.describe('digest of the image'),
    })
    .optional()
    .describe('a newer firmware, to be taken after the picture. Absent: stay with what you have'),
});

const report = z.object({
  upload: id.describe('`picture.upload` of the desired'),
  fileVersion: version.describe('`picture.fileVersion` of the same desired'),
  stage: z
    .enum(['fetched', 'shown', 'failed'])
    .describe('the file came whole and its digest is right; the glass shows it; it went wrong'),
  reason: text(200).optional().describe('with `failed`: what went wrong, for a person'),
  sha256: sha256
    .optional()
    .describe('digest of the file that is **on the glass** now: with `fetched` still the old one'),
  pictureSynced: z.boolean().describe('whether the glass shows the picture of `fileVersion` in this report'),
});

const command = z.object({
  id: id.describe('to be repeated in the reply'),
  name: z
    .enum(['ping', 'reboot', 'reset', 'identify'])
    .describe(
      'answer; restart; restore the settings to their defaults, keeping registration and picture; make yourself noticed',
    ),
  data: data.optional().describe('what the command needs to know, flat'),
});
const reply = z.object({
  command: id.describe('`id` of the command'),
  ok: z.boolean().describe('whether it is or will be carried out'),
  data: data
    .optional()
    .describe(
      `for example readings. With \`ok\` false, the text of \`${refusalKey}\` says for a person what went wrong`,
    ),
});
const log = z.object({
  level: z.enum(['debug', 'info', 'warn', 'error']).describe('how much it matters'),
  message: text(limits.logCharacters).describe('one line for a developer; cut longer ones. Put no secret into it'),
});
const update = z.object({
  offer: id.describe('`firmware.offer` of the desired'),
  phase: z
    .enum(['fetching', 'fetched', 'restarting', 'failed'])
    .describe(
      'the download begins; it came whole and its digest is right; the new firmware starts next; it went wrong',
    ),
  reason: text(200).optional().describe('with `failed`: what went wrong, for a person'),
});
const bye = z.object({ sleepSeconds: seconds.describe('how long the frame will now be silent') });

/** One row of the protocol: the sender of a message, its shape, and its purpose. */
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
  update: row('frame', update, 'says how far a firmware came; only a later hello with its version proves it'),
  bye: row('frame', bye, 'closes a wake and announces the sleep, so that silence can be told from trouble'),
} as const;

export type MessageName = keyof typeof messages;
export type Message<Name extends MessageName> = z.infer<(typeof messages)[Name]['schema']>;
export type Hello = Message<'hello'>;
export type Desired = Message<'desired'>;
export type Report = Message<'report'>;
export type Update = Message<'update'>;
/** The firmware in a `desired`. */
export type OfferedFirmware = NonNullable<Desired['firmware']>;
