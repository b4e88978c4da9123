/**
 * How well a picture is proven, on one scale for all dialects. A level (`confirmed`) states how far a picture came
 * along the road of the frame's dialect; the grade states how much that road proves.
 */

/**
 * The grades, from the least to the most: the picture was offered; every byte of it went to the frame; the frame worked
 * through the answer that announced it, without an error that it knows of, and fetched it whole; the frame reports that
 * it shows this version; the frame names the digest of what it shows.
 */
export const grades = ['offered', 'fetched', 'processed', 'reported', 'named'] as const;

export type Grade = (typeof grades)[number];

/** The weight of a frame's report about a picture. */
export type ReportGrade = Extract<Grade, 'processed' | 'reported' | 'named'>;
