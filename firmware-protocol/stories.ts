/** The stories among the vectors: whole conversations, step by step. */
import { readFileSync } from 'node:fs';

/** A message. `message` is its payload as JSON, `text` the exact payload where its bytes matter. */
export interface SaidStep {
  readonly who: 'frame' | 'gateway';
  readonly topic: string;
  readonly message?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  /** Set where the gateway then forgets every TLS session that it has given. */
  readonly forgets?: 'sessions';
  readonly why: string;
}

/** A GET of the frame. */
export interface FetchStep {
  readonly who: 'frame';
  readonly fetches: string;
  readonly outcome: 'whole' | 'cut off' | 'no answer' | 'probe';
  readonly why: string;
}

export type StoryStep = SaidStep | FetchStep;

export interface Story {
  readonly name: string;
  readonly dialect: 'native' | 'classic';
  readonly frame: string;
  readonly why: string;
  readonly urlPrefix?: string;
  readonly steps: readonly StoryStep[];
}

/** Reads the stories from the file next to this one. */
export function readStories(): readonly Story[] {
  const text = readFileSync(new URL('./vectors/stories.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { stories: readonly Story[] }).stories;
}
