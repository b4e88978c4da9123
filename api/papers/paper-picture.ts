/** The picture of a paper as it is kept, covered and brought back: its files, and who sent it. */
import type { PaperRow } from './store.ts';

/** The columns, of a paper and of every row that keeps a picture of it. */
export type PaperPicture = Pick<PaperRow, 'picture_key' | 'device_picture_key' | 'editable_key' | 'picture_sender'>;

/** Takes the picture out of a row. */
export const pictureIn = ({
  picture_key,
  device_picture_key,
  editable_key,
  picture_sender,
}: PaperPicture): PaperPicture => ({ picture_key, device_picture_key, editable_key, picture_sender });
