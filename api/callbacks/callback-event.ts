/** A callback: one schema, by which the service writes it and by which it is described to receivers. */
import { z } from 'zod';
import { grades } from '../../gateway/frames/grades.ts';
import { objectId } from '../http/field-shapes.ts';

/** The outcomes of a delivery to a frame. Each is reported; `pending`, where deliveries begin, is not. */
export const frameStates = ['prepared', 'synced', 'superseded', 'inactive', 'failed', 'unconfirmed'] as const;
export type FrameState = (typeof frameStates)[number];

/** The states of the paper itself that are reported. */
const paperStates = ['available', 'superseded', 'unconfirmed'] as const;

/** Every state that a callback reports. */
export const callbackState = z.enum([...paperStates, ...frameStates]);
export type CallbackState = z.output<typeof callbackState>;

const common = {
  eventId: objectId.describe('The same in every attempt to send this event: by it a receiver knows a repeat'),
  connectionId: objectId.describe('As the exchange answered it'),
  paperId: objectId.describe('As the exchange answered it'),
  requestId: objectId.describe('As the submission was answered; the render page reads it as `revision`'),
  messageId: z.string().min(1).max(128).describe('As it was submitted'),
};
const occurredAt = z.iso
  .datetime({ precision: 3 })
  .describe('When the event was written, in UTC; a clock may jump, so it says nothing of the order');

const paperCallback = z
  .strictObject({
    ...common,
    state: z.enum(paperStates).describe('What became of the content as a whole'),
    occurredAt,
  })
  .meta({ id: 'PaperCallback', description: 'An event of the paper: it names no frame' });

const frameCallback = z
  .strictObject({
    ...common,
    state: z.enum(frameStates).describe('What became of the content on this frame'),
    deviceId: objectId.describe('The frame, by the id of its device'),
    frameName: z.string().describe('What its owner called it when the delivery began; for people'),
    grade: z
      .enum(grades)
      .optional()
      .describe('How well it is proven that the content is on this frame; left out where nothing was offered to it'),
    dataAt: z.iso
      .datetime({ precision: 3 })
      .optional()
      .describe('When the oldest of the calendars in the picture answered; left out where it has none'),
    occurredAt,
  })
  .meta({ id: 'FrameCallback', description: 'An event of one frame; it says nothing of any other' });

/** The body of a callback, its fields in the order in which they are sent. */
export const callbackEvent = z.union([frameCallback, paperCallback]);

/**
 * The text of a callback, which has its fields and no others (INV-64).
 * @throws ZodError for anything but a callback: nothing is sent that receivers do not know
 */
export function writeCallback(event: Readonly<Record<string, string>>): string {
  return JSON.stringify(('deviceId' in event ? frameCallback : paperCallback).parse(event));
}
