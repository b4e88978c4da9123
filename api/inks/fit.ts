/** How pictures of other proportions are laid on a panel. */

/**
 * The ways in which an image of other proportions is laid on the panel: cut at the edges, or whole with something next to it.
 */
export const fits = ['cover', 'contain'] as const;
export type Fit = (typeof fits)[number];

/** The meaning of each way, for people who choose among them. */
export const fitMeans = 'cover, which is the default, cuts where the subject is; contain shows all, with a border';

/** A photograph that loses less than this share of a side is cut in its middle. */
export const leastCut = 0.05;
