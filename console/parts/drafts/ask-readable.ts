/** Asks the service for a picture that this browser cannot read. */
import { type AnswerOf, callApi } from '../../ground/call-api.ts';

type Readable = AnswerOf<'POST /previews/readable/'>;
/** The service's remarks on a picture's file, in English and for other languages. */
export type RemarkShown = Pick<Readable, 'remark' | 'remarks'>;

type Ask = (form: { readonly picture: Blob }) => Promise<Readable>;

const askAsMember: Ask = (form) => callApi('POST /previews/readable/', { form });
let ask = askAsMember;

/** Has pictures read by another road until it is called off: a guest has one of their own. */
export function readThrough(road: Ask): () => void {
  ask = road;
  return () => {
    ask = askAsMember;
  };
}

/** Returns the picture in a form that every browser reads, and what is to be known of its file. */
export async function askReadable(picture: Blob): Promise<RemarkShown & { readonly blob: Blob }> {
  const { jpeg, ...read } = await ask({ picture: fileOf(picture) });
  return { ...read, blob: blobOf(jpeg, 'image/jpeg') };
}

/** Returns a picture as the file of a form, under the name that the person knows it by. */
export const fileOf = (picture: Blob, name = ''): File =>
  new File([picture], name === '' ? 'picture' : name, { type: picture.type });

/** Returns the bytes of a text in Base64. */
export function blobOf(base64: string, type: string): Blob {
  return new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], { type });
}
