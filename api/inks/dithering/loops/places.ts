/**
 * Where things lie in the memory of the loops, in bytes from its start. Both sides read this file: the loops, and
 * `loops.ts` which fills the memory. The memory of a picture follows the tables, in places that depend on its size.
 */

/** The range of light as four numbers: the largest of red, green, blue, and 0. The smallest is 0 here. */
export const limitsAt = 0x400;
/** Remainders, which are added to a pixel's bytes before its node is looked up, a byte a place. */
export const remaindersAt = 0x410;
/** How much of a wish the choice of its ink is disturbed by, in 256ths. */
export const noiseAt = 0x420;
/** Nominal colours as 0xrrggbb, by ink; at most sixteen. */
export const nominalAt = 0x440;
/** Four numbers an ink: light, then luminance. */
export const inksAt = 0x480;
/** The same numbers twice over. */
export const twiceInksAt = 0x580;
/** Two numbers a pair of inks, `from << 5 | to`: the luminance that moves, the slope at which moving it pays. */
export const movesAt = 0x1000;
/** Four numbers a byte, for red, green and blue: its light in its channel, and last its share of luminance in 256ths. */
export const lightOfRedAt = 0x3000;
export const lightOfGreenAt = 0x4000;
export const lightOfBlueAt = 0x5000;
/** The step along an axis of the nearest inks, a byte for each 32 units of light. */
export const stepsAt = 0x6000;
/** A byte for each first four bits of the channels: 1 where a colour may be a nominal one. */
export const mayBeNominalAt = 0x7000;
/** The nearest ink, a byte for each three steps. */
export const nearestAt = 0x8000;
/** Four numbers a node of the gamut: light to add, and the luminance of that in 256ths. */
export const gamutAt = 0x48000;
/** The counts of a square's colours, a byte each. */
export const countsAt = 0xd8000;
/** The levels of a tone, a byte for each byte of a channel, 256 for each spread of the channels. */
export const levelsAt = 0xd9000;
/** Where a picture begins. */
export const pictureAt = 0xdc000;

/** Nodes along each axis of the gamut: one for every eight bytes, and one beyond the last. */
export const tableNodes = 33;
/** One entry of the steps for so many units of light, as a shift: cheaper than a square root a channel. */
export const lightPerStepShift = 5;
/** Bits of a step along an axis of the nearest inks. */
export const bitsPerStep = 6;
/** Set next to the number of an ink that was asked for by name and must stay. */
export const fixed = 0x10;

/** The side of the squares that are judged one by one, as a shift: sixteen pixels, about a line of text. */
export const tileBits = 4;

/** The ends are cut wholly for colours whose channels lie this close, in bytes, and not at all from the second on. */
export const grayWithin = 16;
export const colourFrom = 48;

/** Pixels of one colour in a row after which a picture counts as flat: photographs hardly ever have as many. */
export const flatFrom = 32;
/**
 * Where a picture is flat, its choices are disturbed by the additive sequence of these two steps, in 2 ** 32nds: neighbours
 * differ much, and nothing repeats. Source: Martin Roberts, "The unreasonable effectiveness of quasirandom sequences".
 */
export const noiseAcross = 0xc13fa9a9;
export const noiseDown = 0x91e10da6;

/** How far the blur of settling reaches, in pixels. */
export const radius = 4;
/** Rows that settling holds at once; a power of two, more than two radii and two rows. */
export const ringRows = 16;
