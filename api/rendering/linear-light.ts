/** Makes pictures smaller by the light that they stand for, not by the numbers that stand for light. */
import type { Sharp } from 'sharp';

/**
 * Lets the steps that follow, up to `toColourspace('srgb')`, compute in linear light. A checkerboard of black and white then
 * becomes the gray that gives half of the light, 188, and dark stripes keep their weight.
 */
export function inLinearLight(image: Sharp): Sharp {
  return image.pipelineColourspace('scrgb');
}
