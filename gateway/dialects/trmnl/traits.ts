/** The traits of the dialect of frames that poll as TRMNL's do. */
import type { DialectTraits } from '../../frames/dialect-traits.ts';

/** A frame reports nothing about its glass, so its wakes are weighed (docs/polled-frames.md). */
export const trmnlTraits: DialectTraits = {
  knowsDigests: false,
  probesFirst: false,
  proves: 'processed',
  provesAtOnce: false,
  knowsCommands: false,
};
