/**
 * Normalizes images in a process of its own: `one-process.ts` asks, and this process ends with it. A process that ends
 * gives all its memory back, and one that the image library ends takes nothing else with it.
 */
import { register } from 'tsx/esm/api';

register();
const { normalizeImage } = await import('../normalize-image.ts');

/** The images under way, by the number they were asked under. */
const asked = new Map();

async function normalize({ number, image, options }) {
  const over = new AbortController();
  asked.set(number, over);
  try {
    process.send({ number, normalized: await normalizeImage(image, { ...options, signal: over.signal }) });
  } catch (error) {
    process.send({ number, problem: String(error) });
  } finally {
    asked.delete(number);
  }
}

process.on('message', (message) => {
  if (message.image === undefined) asked.get(message.number)?.abort();
  // Where the service cannot be answered it is gone, and this process with it.
  else normalize(message).catch(() => process.exit(1));
});
process.on('disconnect', () => process.exit());
process.send('ready');
