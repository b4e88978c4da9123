/**
 * How well a picture is proven, on one scale for all dialects. A level (`confirmed`) says how far a picture came on the road
 * that the frame's dialect has; the grade says what that road is worth.
 */

/**
 * The grades, from the least to the most: the picture was offered; every byte of it went to the frame; the frame worked through
 * the answer that told it, without an error that it knows of, and fetched it whole; the frame says that it shows this version;
 * the frame names the digest of what it shows.
 */
export const grades = ['offered', 'fetched', 'processed', 'reported', 'named'] as const;

export type Grade = (typeof grades)[number];

/** The weight of a frame's report about a picture. */
export type ReportGrade = Extract<Grade, 'processed' | 'reported' | 'named'>;
