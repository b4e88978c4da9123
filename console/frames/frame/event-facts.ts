/** The facts of an event in the person's language. */

import type { AnswerOf } from '../../ground/call-api.ts';
import { showsDetails } from '../../ground/details.ts';
import { saidText } from '../../ground/said.ts';
import { clockTime, spanWords } from '../../ground/times.ts';
import { t, tCode } from '../../ground/words.ts';

/** An event as `GET /devices/events/{deviceId}` returns it. */
export type FrameEvent = AnswerOf<'GET /devices/events/{deviceId}'>[number];

/** Long names of pictures and ids mean nothing to a person, and whether a command went well stands in its stage. */
const meaningless = /^(uploadId|upload|sha256|revision|fetchedAs|rolloutId|offer|command|ok)$/;
const times = /^(expectedAt|lastContactAt|overdueSince|fetchedAt|healedAt)$/;
const spans = /^(sleepSeconds|storedTimeoutSeconds)$/;

/** The facts that mean something to a person; the rest is for anyone who looks at details. */
const forPeople =
  /^(stage|because|problem|remedy|name|message|level|version|batteryPercent|daysLeft|wake|sleepSeconds|pressedTwice)$/;

/** Returns the facts in one line; a fact that no catalogue names stays as it was written. */
export function eventFacts(event: FrameEvent): string {
  return Object.entries(event.payload)
    .filter(([name, value]) => value !== null && value !== '' && !meaningless.test(name))
    .filter(([name]) => showsDetails.value || forPeople.test(name))
    .map(([name, value]) => factWords(event, name, value))
    .join(', ');
}

function factWords({ problems, remedies }: FrameEvent, name: string, value: unknown): string {
  const text = typeof value === 'object' ? flatWords(value) : String(value);
  if (name === 'stage') return orText(tCode('stage', codeOf(text)), text);
  if (name === 'because') return `${tCode('fact', name)}: ${[value].flat().map(becauseWords).join(', ')}`;
  if (name === 'problem') return saidText(problems, text);
  if (name === 'remedy') return saidText(remedies, text);
  if (name === 'name') return orText(tCode('actions', codeOf(text)), text);
  if (name === 'message' || name === 'data') return text;
  if (typeof value === 'boolean') return `${tCode('fact', name)}: ${t(value ? 'audit.yes' : 'audit.no')}`;
  if (name === 'level') return `${tCode('fact', name)}: ${tCode('levelFact', text)}`;
  if (name === 'wake') return `${tCode('fact', name)}: ${tCode('wakeFact', text)}`;
  if (times.test(name)) return `${tCode('fact', name)}: ${clockTime(value as number)}`;
  return `${tCode('fact', name)}: ${spans.test(name) ? spanWords(Number(value)) : text}`;
}

/** Words a frame's answer, which is flat and in its own words. */
const flatWords = (value: object | null): string =>
  Object.entries(value ?? {})
    .map(([name, one]) => `${name}: ${typeof one === 'object' ? JSON.stringify(one) : String(one)}`)
    .join(', ');

/** A reason; one that no catalogue names stays as it was written. */
const becauseWords = (reason: unknown): string => orText(tCode('because', codeOf(String(reason))), String(reason));

const codeOf = (text: string): string => text.replaceAll(' ', '-');

/** A code without a text stays as the service wrote it. */
const orText = (words: string, text: string): string => (words === codeOf(text) ? text : words);
