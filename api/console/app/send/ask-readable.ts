/** Asks the service for a picture that this browser cannot read. */
import { callApi } from '../call-api.ts';

/** Returns the picture in a form that every browser reads. */
export async function askReadable(picture: Blob): Promise<Blob> {
  const body = new FormData();
  body.append('picture', picture, 'picture');
  const { jpeg } = await callApi<{ readonly jpeg: string }>('/previews/readable/', { method: 'POST', body });
  return blobOf(jpeg, 'image/jpeg');
}

/** Returns the bytes of a text in Base64. */
export function blobOf(base64: string, type: string): Blob {
  return new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], { type });
}
