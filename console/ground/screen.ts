/** The type of a screen. */
import type { ComponentType } from 'preact';

/** A screen gets the rest of its address: for `frames/5f…` that is `['5f…']`. */
export type Screen = ComponentType<{ readonly rest: readonly string[] }>;
