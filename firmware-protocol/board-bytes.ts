/**
 * The most bytes of a picture on boards with TRMNL's firmware: those without external memory, and those with it. The firmware
 * downloads one byte more and does not draw it (`MAX_IMAGE_SIZE`, `display_show_image`).
 */
export const boardBytes = { small: 89_999, withMemory: 749_999 } as const;
