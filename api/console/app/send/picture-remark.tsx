/** What the service says of a picture whose file was doubtful. */
import type { ComponentType } from 'preact';
import type { RemarkShown } from '../../../files/tell-remark.ts';
import { saidText } from '../said.ts';

/** Draws it; nothing of most pictures. */
export const PictureRemark: ComponentType<{ readonly told: RemarkShown }> = ({ told: { remark, remarks } }) =>
  remark === undefined ? null : <p class="note">{saidText(remarks, remark)}</p>;
