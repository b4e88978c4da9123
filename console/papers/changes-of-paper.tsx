/** When the picture of a paper changes next, as far as it is known. */
import { callApi } from '../ground/call-api.ts';
import type { Paper } from '../ground/paper-book.ts';
import { useResource } from '../ground/resource.ts';
import { NextChange } from '../parts/next-change.tsx';

/** The changes that are read: when one of them has come, the next one is shown. */
const read = 10;

/** Draws the next one; nothing of most pictures. */
export const ChangesOfPaper = ({ paper: { id, updatedAt } }: { readonly paper: Paper }) => {
  const known = useResource(
    (signal) =>
      callApi('GET /papers/{paperId}/next-changes/', { path: { paperId: id }, query: { limit: read }, signal }),
    [id, updatedAt],
  );
  return <NextChange changes={known.value?.changes ?? []} />;
};
