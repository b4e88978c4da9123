/** The change that a job gives to each of its frames, the state before it, and how both become fields of a device. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../runtime/plain-record.ts';
import { storedObject } from '../http/field-shapes.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A change of each frame. */
export type FrameChange =
  | { readonly kind: 'paper'; readonly paper: string | null }
  | {
      readonly kind: 'settings';
      /** Fields of the device's meta; null takes one away. Of `place`, only the parts that are named. */
      readonly meta: Fields;
      readonly addTags: readonly string[];
      readonly removeTags: readonly string[];
    }
  /** A picture of the device's own; its file is the job's. */
  | { readonly kind: 'picture' }
  /** An image of firmware, offered by the job's rollout. */
  | { readonly kind: 'firmware'; readonly version: string; readonly frameKind: string; readonly rolloutId: string };

/** The state of a frame before the change. */
export type FrameBefore =
  | { readonly kind: 'paper'; readonly paper: string | null; readonly image: string | null }
  /** The fields that the change wrote: what each was, where it was there, and what it became. */
  | { readonly kind: 'settings'; readonly fields: readonly FieldBefore[] }
  /** The revision of the device's own image that it showed; null when it showed its paper. */
  | { readonly kind: 'picture'; readonly image: string | null }
  /** The version that the frame ran; it cannot be brought back. */
  | { readonly kind: 'firmware'; readonly version: string | null };

/** A field of meta that was written. `was` is left out where the field was absent, `became` where it was taken away. */
interface FieldBefore {
  readonly name: string;
  readonly was?: unknown;
  readonly became?: unknown;
}

type SettingsChange = Extract<FrameChange, { kind: 'settings' }>;

/** Returns a device's meta with the change. */
export function metaWith(meta: string, change: SettingsChange): Record<string, unknown> {
  const before = storedObject(meta);
  const next: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(change.meta)) put(next, name, merged(name, before[name], value));
  if (change.addTags.length > 0 || change.removeTags.length > 0) {
    const tags = new Set(tagsOf(before.tags));
    for (const tag of change.removeTags) tags.delete(tag);
    for (const tag of change.addTags) tags.add(tag);
    put(next, 'tags', tags.size === 0 ? null : [...tags]);
  }
  return next;
}

function put(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (value === null || value === undefined) delete fields[name];
  else fields[name] = value;
}

function merged(name: string, before: unknown, value: unknown): unknown {
  if (name !== 'place' || !isRecord(value)) return value;
  const parts: Record<string, unknown> = { ...(isRecord(before) ? before : {}) };
  for (const [part, text] of Object.entries(value)) put(parts, part, text === '' ? null : text);
  return Object.keys(parts).length === 0 ? null : parts;
}

/** The tags in a device's meta. */
export const tagsOf = (tags: unknown): readonly string[] =>
  Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : [];

/** Returns what a change of settings writes, so that it can be taken back exactly. */
export function fieldsBefore(meta: string, next: Fields): readonly FieldBefore[] {
  const before = storedObject(meta);
  const names = [...new Set([...Object.keys(before), ...Object.keys(next)])];
  return names
    .filter((name) => !isDeepStrictEqual(before[name], next[name]))
    .map((name) => ({
      name,
      ...(before[name] !== undefined && { was: before[name] }),
      ...(next[name] !== undefined && { became: next[name] }),
    }));
}

/**
 * Returns a device's meta with the fields as they were, and the names of those that somebody changed since: they stay.
 */
export function metaBefore(
  meta: string,
  fields: readonly FieldBefore[],
): { readonly meta: Record<string, unknown>; readonly kept: readonly string[] } {
  const now = storedObject(meta);
  const next: Record<string, unknown> = { ...now };
  const kept: string[] = [];
  for (const { name, was, became } of fields) {
    if (isDeepStrictEqual(now[name], became)) put(next, name, was);
    else kept.push(name);
  }
  return { meta: next, kept };
}

/** Fields of meta that neither a frame is sent nor a picture is drawn with: where they are stored nothing is left to prove. */
const recordFields: readonly string[] = ['place', 'tags', 'name'];

/** Returns whether the glass changes with a change of settings, whether the frame is sent it, or nothing is to be proven. */
export function proofOfSettings(change: SettingsChange): 'glass' | 'contact' | 'none' {
  const names = Object.keys(change.meta).filter((name) => !recordFields.includes(name));
  if (names.includes('orientation')) return 'glass';
  return names.length > 0 ? 'contact' : 'none';
}

/** The kinds of jobs, as people tell them apart. */
export const jobKinds = ['paper', 'settings', 'place', 'picture', 'firmware'] as const;

/** Returns the kind of a job: settings that say nothing but where frames hang, and their tags, are a kind of their own. */
export const kindOfJob = (change: FrameChange): (typeof jobKinds)[number] =>
  change.kind === 'settings' && proofOfSettings(change) === 'none' ? 'place' : change.kind;
