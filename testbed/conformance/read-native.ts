/** Reads the messages of a native frame, and the steps of a native story. */
import type { ClauseId } from '../../firmware-protocol/clauses.ts';
import { decode } from '../../firmware-protocol/codec.ts';
import type { Message, MessageName } from '../../firmware-protocol/messages.ts';
import type { FetchStep, SaidStep, StoryStep } from '../../firmware-protocol/stories.ts';
import type { Incident } from './stage.ts';

/** A message that the message table accepts. */
export type NativeMessage = {
  readonly [Name in MessageName]: { readonly name: Name; readonly message: Message<Name> };
}[MessageName];

/** Decodes a message, or returns a sentence about its problem. */
export function read(incident: Incident): NativeMessage | string {
  if (incident.kind !== 'message') return 'nothing was said';
  const { use, payload } = incident;
  if (use.dialect !== 'native') return 'a topic of the classic dialect';
  const decoded = decode(use.name, payload);
  return decoded.ok ? ({ name: use.name, message: decoded.value } as NativeMessage) : `${use.name}: ${decoded.problem}`;
}

export function isFetch(step: StoryStep): step is FetchStep {
  return 'fetches' in step;
}

/** The name of a step's message, which is the last part of its topic. */
export function messageOf(step: SaidStep): string {
  return step.topic.split('/').at(-1) ?? '';
}

/** The clause that is broken when the frame does nothing at this step. */
export function owed(step: StoryStep): ClauseId {
  if (isFetch(step)) return 'takes-newer';
  const byMessage: Readonly<Record<string, ClauseId>> = {
    hello: 'hello-opens',
    report: 'says-how-far',
    reply: 'answers-commands',
    bye: 'bye-closes',
  };
  return byMessage[messageOf(step)] ?? 'well-formed';
}
