/** Pictures that another app of the phone shared: the service worker put them into a cache of their own. */

/** The cache of shared pictures. The service worker writes it under the same name. */
export const sharedCache = 'papergate-shared';

/** Takes the pictures out: they are there once. */
export async function takeShared(): Promise<File[]> {
  if (!('caches' in self)) return [];
  const cache = await caches.open(sharedCache);
  const taken: File[] = [];
  for (const request of await cache.keys()) {
    const answer = await cache.match(request);
    await cache.delete(request);
    if (answer === undefined) continue;
    const name = decodeURIComponent(answer.headers.get('x-file-name') ?? 'picture');
    taken.push(new File([await answer.blob()], name));
  }
  return taken;
}
