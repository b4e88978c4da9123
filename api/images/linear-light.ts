/** Makes pictures smaller by the light that they stand for, not by the numbers that stand for light. */
import type { ResizeOptions, Sharp } from 'sharp';

/**
 * Makes a picture smaller in linear light; the steps that follow, up to `toColourspace('srgb')`, compute in it, too. A
 * checkerboard of black and white then becomes the gray that gives half of the light, 188, and dark stripes keep their
 * weight. Light is computed in floats, where each pixel that counts costs: the kernel has two lobes in place of three,
 * which takes two thirds of the time and differs by a third of a number of 255.
 */
export function reduceLight(image: Sharp, width: number, height: number, options: ResizeOptions): Sharp {
  return image.pipelineColourspace('scrgb').resize(width, height, { ...options, kernel: 'cubic' });
}
