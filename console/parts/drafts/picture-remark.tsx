/** The service's remark on a picture whose file was doubtful. */

import type { ComponentType } from 'preact';
import { saidText } from '../../ground/said.ts';
import type { RemarkShown } from './ask-readable.ts';

/** Draws it; nothing of most pictures. */
export const PictureRemark: ComponentType<{ readonly told: RemarkShown }> = ({ told: { remark, remarks } }) =>
  remark === undefined ? null : <p class="note">{saidText(remarks, remark)}</p>;
