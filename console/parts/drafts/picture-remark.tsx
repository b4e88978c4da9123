/** The service's remark on a picture whose file was doubtful. */

import { saidText } from '../../ground/said.ts';
import type { RemarkShown } from './ask-readable.ts';

/** Draws it; nothing of most pictures. */
export const PictureRemark = ({ told: { remark, remarks } }: { readonly told: RemarkShown }) =>
  remark === undefined ? null : <p class="note">{saidText(remarks, remark)}</p>;
