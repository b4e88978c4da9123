/** Waits for the fonts of a document of our own. The function runs inside the page, as text. */
export async function loadFonts(): Promise<void> {
  await Promise.allSettled(Array.from(document.fonts, (font) => font.load()));
}
