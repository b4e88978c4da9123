/** The remark about a picture that was accepted although something about its file was doubtful. */

/** The doubts, each a sentence for a person (`remark-image-…` in the catalogue). */
export const imageNotes = [
  'end-missing',
  'profile-left-out',
  'gamma-left-out',
  'inks-guessed',
  'gain-map-left-out',
  'brightness-reduced',
  'parts-overlooked',
] as const;
export type ImageNote = (typeof imageNotes)[number];

/** An image reduced to the parts that the image library may see, with the doubts about what was left out. */
export interface BareImage {
  readonly bytes: Buffer;
  readonly notes: readonly ImageNote[];
}
