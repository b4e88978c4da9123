/** A landscape, three bytes a pixel: sky, sun, dark hills with grain, a caption; no noise but from a fixed rule. */
export function landscape(width: number, height: number): Uint8Array {
  const rgb = new Uint8Array(width * height * 3);
  let state = 7;
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 3) {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      const grain = ((state >>> 16) & 15) - 8;
      const isHill = y > height * (0.6 + 0.1 * Math.sin(x / 23));
      const sun = Math.max(0, 1 - Math.hypot(x - width * 0.7, y - height * 0.3) / (height * 0.25));
      const depth = y / height;
      const colour = isHill
        ? [40 - 30 * depth + grain, 52 - 34 * depth + grain, 30 - 18 * depth + grain]
        : [90 + 150 * depth + 90 * sun, 130 + 80 * depth + 60 * sun, 200 - 60 * depth - 80 * sun];
      for (let c = 0; c < 3; c++) rgb[at + c] = Math.min(Math.max(Math.round(colour[c] as number), 0), 255);
    }
  }
  return rgb;
}
