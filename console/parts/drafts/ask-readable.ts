/** Asks the service for a picture that this browser cannot read. */
import type { RemarkShown } from '../../../api/files/tell-remark.ts';
import { callApi } from '../../ground/call-api.ts';

interface Readable extends RemarkShown {
  readonly jpeg: string;
}

type Ask = (options: { readonly method: 'POST'; readonly body: FormData }) => Promise<Readable>;

const askAsMember: Ask = (options) => callApi('/previews/readable/', options);
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
  const body = new FormData();
  body.append('picture', picture, 'picture');
  const { jpeg, ...read } = await ask({ method: 'POST', body });
  return { ...read, blob: blobOf(jpeg, 'image/jpeg') };
}

/** Returns the bytes of a text in Base64. */
export function blobOf(base64: string, type: string): Blob {
  return new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], { type });
}
