/** Running text that gets smaller letters where it has no room, and is then cut. */
import { heightOf, numberHere, partsIn, roomFor } from './ask-screen.ts';
import { clampTo } from './clamp-words.ts';

/** Below it there is room for no line, and something else is wrong with the page. */
const minRoomPx = 20;
const sizes = ['base', 'large', 'xlarge', 'xxlarge', 'xxxlarge'];

/** Limits the texts of a screen that ask for it. */
export function limitContent(screen: HTMLElement): void {
  for (const content of screen.querySelectorAll<HTMLElement>('[data-content-limiter="true"]')) {
    const room = numberHere(content, 'data-content-max-height') ?? roomFor(content);
    if (room < minRoomPx || content.scrollHeight <= room) continue;
    content.classList.remove(...sizes.map((size) => `content--${size}`));
    content.classList.add('content--small');
    if (content.scrollHeight > room) cutParagraphs(content, room);
  }
}

/** Cuts the first paragraph that goes beyond the room, and hides those behind it. */
function cutParagraphs(content: HTMLElement, room: number): void {
  let left = room;
  for (const part of partsIn(content)) {
    const height = heightOf(part);
    if (left >= height) {
      left -= height;
      continue;
    }
    const { lineHeight, fontSize } = getComputedStyle(part);
    const lines = Math.floor(left / (Number.parseFloat(lineHeight) || Number.parseFloat(fontSize) * 1.3));
    if (lines > 0) clampTo(part, lines);
    else part.style.display = 'none';
    left = 0;
  }
}
