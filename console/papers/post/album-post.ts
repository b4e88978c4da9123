/** The post of an album, as the service knows it: its address, the people and chats that may send, and the mails that wait. */
import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import type { Paper } from '../../ground/paper-book.ts';
import { traitsOf } from '../../ground/paper-kinds.ts';
import { type Resource, useResource } from '../../ground/resource.ts';
import { mayWrite } from '../../ground/session.ts';
import { clockTime } from '../../ground/times.ts';
import { usePaperVersion } from '../../ground/versions.ts';
import { t } from '../../ground/words.ts';

/** The answer of the service. */
export type AlbumPost = AnswerOf<'GET /papers/{paperId}/post/'>;

/** The props of the parts of the section. */
export interface PostProps {
  readonly paperId: string;
  readonly post: AlbumPost;
  /** Reads it again after an action of the person. */
  readonly reload: () => Promise<void>;
}

/** Reads it again whenever the album changes; undefined of papers that take no mail, and for those who may not write them. */
export function useAlbumPost({ id, kind, updatedAt }: Paper): Resource<AlbumPost | undefined> {
  const version = usePaperVersion(id);
  const isRead = traitsOf(kind).isAlbum && mayWrite.value;
  return useResource(
    async (signal) => (isRead ? callApi('GET /papers/{paperId}/post/', { path: { paperId: id }, signal }) : undefined),
    [id, isRead, updatedAt, version],
  );
}

/** The pictures that somebody sent, in one line. */
export const sentFacts = ({
  pictures,
  lastAt,
}: {
  readonly pictures: number;
  readonly lastAt: string | null;
}): string =>
  [t('post.pictures', { count: pictures }), lastAt === null ? '' : t('post.lastAt', { time: clockTime(lastAt) })]
    .filter(Boolean)
    .join(' · ');
