/** A source that is opened on the Immich server that tests change, through a network that leads every name there. */
import type { ImmichLogin, ImmichSettings } from '../../api/picture-sources/immich/immich-settings.ts';
import { openImmich } from '../../api/picture-sources/immich/immich-source.ts';
import {
  type ListedPicture,
  type ListingEnd,
  type PictureSource,
  SourceFault,
} from '../../api/picture-sources/source.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { Receiver } from '../callbacks/receiver.ts';
import { fakeImmich } from './fake-immich.ts';
import type { FakeImmich } from './immich-library.ts';
import { type SourceWorld, withSourceServer } from './source-world.ts';

export interface ImmichWorld extends SourceWorld, Receiver {
  readonly fake: FakeImmich;
  /** Opens a source with the server's key, or with another login. */
  open(
    choice?: ImmichSettings['choice'],
    more?: { readonly login?: ImmichLogin; readonly day?: string },
  ): PictureSource;
}

/** Opens the world with a server of a version. */
export function withImmich(version: string, run: (world: ImmichWorld) => Promise<void>): Promise<void> {
  const fake = fakeImmich(version);
  return withSourceServer(
    (request, response) => fake.answer(request, response),
    (world) =>
      run({
        ...world,
        fake,
        open: (choice, { login = { apiKey: fake.apiKey }, day } = {}) =>
          openImmich(world.deps, {
            settings: { server: 'https://photos.example', ...(choice !== undefined && { choice }) },
            login,
            day,
          }),
      }),
  );
}

/** The pictures of a whole listing, with its end. */
export interface WholeListing {
  readonly pictures: readonly ListedPicture[];
  readonly keys: readonly string[];
  readonly pages: number;
  readonly end: ListingEnd;
}

/** Lists everything. */
export async function listAll(source: PictureSource, before?: string): Promise<WholeListing> {
  const pictures: ListedPicture[] = [];
  const listing = source.list(before);
  for (let pages = 0; ; pages++) {
    const next = await listing.next();
    if (next.done === true) return { pictures, keys: pictures.map(({ key }) => key), pages, end: next.value };
    pictures.push(...next.value);
  }
}

/** Returns the kind and the words of the fault that a call ends with, or `none`. */
export async function faultOfCall(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'none';
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    return `${error.kind}: ${wordsOf(error.reason)}`;
  }
}
