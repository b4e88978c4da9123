/**
 * An Immich server with a small library that tests change, as each of its versions answers: what a version does not know it
 * leaves out of account, and what it refuses it refuses with its own words.
 */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Received } from '../callbacks/receiver.ts';
import type { FakeImmich, FakeImmichLink, FakeImmichPicture, FakeImmichState } from './immich-library.ts';
import { answerImmich } from './immich-wire.ts';
import { smallJpeg } from './small-jpeg.ts';

export const immichVersions = ['1.132.3', '2.0.0', '2.7.5', '3.0.1', '3.0.3', '3.2.2'] as const;

const allRights = ['asset.read', 'asset.view', 'asset.statistics', 'album.read', 'memory.read', 'person.read'];

/** An id that looks like Immich's, the same for the same text. */
export function immichId(seed: string): string {
  const hex = createHash('sha1').update(seed).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** Makes a server. */
export function fakeImmich(version = '3.2.2', now: () => number = () => Date.UTC(2026, 0, 10, 8)): FakeImmich {
  let count = 0;
  const state: FakeImmichState = {
    version,
    apiKey: 'key-of-the-house',
    rights: new Set(allRights),
    pictures: new Map(),
    albums: new Map(),
    people: new Map(),
    links: [],
    faults: {},
    now,
  };
  const touch = (albums: Iterable<string>): void => {
    for (const id of albums) {
      const album = state.albums.get(id);
      if (album !== undefined) album.updatedAt += 1;
    }
  };

  function addOne({ album, person, ...more }: NonNullable<Parameters<FakeImmich['add']>[0]>): string {
    count += 1;
    const id = more.id ?? immichId(`picture ${count}`);
    state.pictures.set(id, {
      name: `IMG_${String(count).padStart(4, '0')}.jpg`,
      type: 'IMAGE',
      visibility: 'timeline',
      taken: new Date(Date.UTC(2020, 0, 1, 12) + count * 3_600_000).toISOString().slice(0, 19),
      offsetHours: 1,
      arrivedAt: Date.UTC(2025, 0, 1) + count * 1_000,
      isFavourite: false,
      isTrashed: false,
      isOffline: false,
      edits: 0,
      width: 40,
      height: 30,
      orientation: 1,
      make: 'Canon',
      place: {},
      caption: '',
      albums: new Set(album === undefined ? [] : [album]),
      people: new Set(person === undefined ? [] : [person]),
      ...more,
      id,
    });
    touch(album === undefined ? [] : [album]);
    return id;
  }

  const fake: FakeImmich = Object.assign(state, {
    answer: (request: Received, response: ServerResponse) => void answerImmich(fake, request, response),
    addAlbum(name: string, isShared = false) {
      const id = immichId(`album ${state.albums.size} ${name}`);
      state.albums.set(id, { name, updatedAt: Date.UTC(2025, 0, 1), isShared });
      return id;
    },
    addPerson(name: string, isHidden = false) {
      const id = immichId(`person ${state.people.size} ${name}`);
      state.people.set(id, { name, isHidden });
      return id;
    },
    add(more: Parameters<FakeImmich['add']>[0] = {}, times = 1) {
      let last = '';
      for (let one = 0; one < times; one++) last = addOne(more);
      return last;
    },
    remove(id: string) {
      touch(state.pictures.get(id)?.albums ?? []);
      state.pictures.delete(id);
    },
    change(id: string, more: Partial<FakeImmichPicture>) {
      const picture = state.pictures.get(id);
      if (picture === undefined) throw new Error(`there is no picture ${id}`);
      Object.assign(picture, more);
      touch(picture.albums);
    },
    favourite: (id: string, isFavourite = true) => fake.change(id, { isFavourite }),
    share(link: Partial<FakeImmichLink>) {
      const made = { key: `key-of-a-shared-link-${state.links.length}`, showMetadata: true, ...link };
      state.links.push(made);
      return made;
    },
    jpegOf(id: string, size: 'preview' | 'fullsize' | 'thumbnail') {
      const { edits, width, height, orientation } = state.pictures.get(id) as FakeImmichPicture;
      const [across, down] = orientation >= 5 ? [height, width] : [width, height];
      const scale = { thumbnail: 0.5, preview: 1, fullsize: 2 }[size];
      return smallJpeg(`${id} ${edits}`, Math.ceil(across * scale), Math.ceil(down * scale));
    },
  });
  return fake;
}
