/** What a native frame said, and what a step of a native story waits for. */
import type { ClauseId } from '../../firmware-protocol/clauses.ts';
import { decode } from '../../firmware-protocol/codec.ts';
import type { Message, MessageName } from '../../firmware-protocol/messages.ts';
import type { FetchStep, SaidStep, StoryStep } from '../../firmware-protocol/stories.ts';
import type { Incident } from './stage.ts';

/** A message that the table accepts. */
export type Said = {
  readonly [Name in MessageName]: { readonly name: Name; readonly message: Message<Name> };
}[MessageName];

/** What was said, or what is wrong with it. */
export function read(incident: Incident): Said | string {
  if (incident.kind !== 'said') return 'nothing was said';
  const { use, payload } = incident;
  if (use.dialect !== 'native') return 'a topic of the classic dialect';
  const decoded = decode(use.name, payload);
  return decoded.ok ? ({ name: use.name, message: decoded.value } as Said) : `${use.name}: ${decoded.problem}`;
}

export function isFetch(step: StoryStep): step is FetchStep {
  return 'fetches' in step;
}

/** The last word of a step's topic. */
export function messageOf(step: SaidStep): string {
  return step.topic.split('/').at(-1) ?? '';
}

/** The clause that is broken when this step's incident does not come. */
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
