/** The remarks on the picture of a paper, as the first frame that shows it has it. */
import { callApi } from '../ground/call-api.ts';
import { framesShowing } from '../ground/paper-book.ts';
import { useResource } from '../ground/resource.ts';
import { saidText } from '../ground/said.ts';

/** Draws it; nothing of most pictures. */
export const RemarkOnPaper = ({ paperId }: { readonly paperId: string }) => {
  const frame = framesShowing(paperId)[0];
  const version = frame?.due?.uploadId ?? frame?.glass?.uploadId;
  const known = useResource(
    async (signal) => frame && (await callApi('GET /devices/why/{deviceId}', { path: { deviceId: frame.id }, signal })),
    [frame?.id, version],
  );
  const { remark = null, remarks } = known.value ?? {};
  return remark === null ? null : <p class="note">{saidText(remarks, remark)}</p>;
};
