/** Sentences of the service in the person's language, by their codes. */
import type { SpelledReasons } from './call-api.ts';
import { kindName } from './paper-kinds.ts';
import { clockTime } from './times.ts';
import { tCode } from './words.ts';

type Said = SpelledReasons[number];

/** Translates sentences; one that no catalogue has, and the words of somebody else, stay as they are. */
export function saidText(sentences: SpelledReasons | undefined, text: string): string {
  return sentences === undefined || sentences.length === 0 ? text : sentences.map(sayOne).join(' ');
}

function sayOne({ code, parameters = {}, sentence }: Said): string {
  if (code === undefined) return sentence;
  const words = tCode(
    'said',
    code,
    Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, sayValue(name, value)])),
  );
  return words === code ? sentence : words;
}

/** Codes within a sentence, and times, have words of their own. */
function sayValue(name: string, value: string | number): string | number {
  if (typeof value === 'number') return value;
  if (name === 'field') return tCode('field', value);
  if (name === 'kind') return kindName(value);
  if (name === 'state') return tCode('rolloutState', value);
  return name === 'time' ? clockTime(value) : value;
}
