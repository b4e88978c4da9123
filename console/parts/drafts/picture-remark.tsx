/** What the service says of a picture whose file was doubtful. */
import type { ComponentType } from 'preact';
import type { RemarkShown } from '../../../api/files/tell-remark.ts';
import { saidText } from '../../ground/said.ts';

/** Draws it; nothing of most pictures. */
export const PictureRemark: ComponentType<{ readonly told: RemarkShown }> = ({ told: { remark, remarks } }) =>
  remark === undefined ? null : <p class="note">{saidText(remarks, remark)}</p>;
