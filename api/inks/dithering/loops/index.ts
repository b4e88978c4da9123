/** The exports of the compiled loops. Written in AssemblyScript; `node --import tsx test/accept.ts loops` compiles them. */
export { diffuseRow } from './diffuse-row.ts';
export { countColours, markRow, toneRow } from './mark-pixels.ts';
export { blurAcross, blurDown, clear, dropMarks, moveRow } from './settle-rows.ts';
