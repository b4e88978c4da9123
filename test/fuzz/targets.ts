/** The targets by their names. Each is loaded when it is opened: V8 counts no blocks of what was loaded before. */
import type { FuzzTarget } from './target.ts';

const openers = {
  calendars: async () => (await import('./targets/calendars.ts')).openCalendars(),
  images: async () => (await import('./targets/images.ts')).openImages(),
  frames: async () => (await import('./targets/frames.ts')).openFrames(),
  backups: async () => (await import('./targets/backups.ts')).openBackups(),
  recipes: async () => (await import('./targets/recipes.ts')).openRecipes(),
} satisfies Record<string, () => Promise<FuzzTarget>>;

export type TargetName = keyof typeof openers;

export const targetNames = Object.keys(openers) as TargetName[];

/** Opens a target. */
export const openTarget = (name: TargetName): Promise<FuzzTarget> => openers[name]();
