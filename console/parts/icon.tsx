/** The console's few icons, as strokes that take the colour of the text next to them. */

const paths: Readonly<Record<string, string>> = {
  brand: 'M5 3h14v18H5zM8 7h8v8H8zM9 18h6',
  frames: 'M7 8l5-5 5 5M3 8h18v13H3zM7 12h10v5H7z',
  send: 'M12 16V4M7 9l5-5 5 5M4 16v4h16v-4',
  papers: 'M7 3h8l4 4v14H7zM15 3v4h4M10 12h6M10 16h6',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c.5-4 3-6 6.5-6s6 2 6.5 6M16 4.5a3.5 3.5 0 0 1 0 6M18 14c2 .6 3.2 2.6 3.5 6',
  service: 'M4 13h4l2-7 4 13 2-6h4',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 21c.6-4.5 3.5-6.5 7.5-6.500s6.9 2 7.5 6.5',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 21 21',
  battery: 'M3 8h15v8H3zM21 11v2',
  signal: 'M4 18v-3M9 18v-6M14 18V9M19 18V5',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2',
  warning: 'M12 3 2 20h20zM12 10v4M12 17v.5',
  check: 'M4 12.5 9.5 18 20 6.5',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  rotate: 'M20 11a8 8 0 1 0-2.3 6.300M20 5v6h-6',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9.500h.01',
  pictures: 'M6 4h14v12H6zM4 8v12h14M8 14l4-5 3 3.500 2-2 2 3',
  camera: 'M3 8h4l2-3h6l2 3h4v12H3zM12 17.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8z',
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v5M16 3v5',
  turns: 'M4 11a5 5 0 0 1 5-5h10M16 3l3 3-3 3M20 13a5 5 0 0 1-5 5H5M8 15l-3 3 3 3',
  globe: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18',
  live: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2',
  braces: 'M9 4c-3 0-3 1-3 4s0 4-2 4c2 0 2 1 2 4s0 4 3 4M15 4c3 0 3 1 3 4s0 4 2 4c-2 0-2 1-2 4s0 4-3 4',
  board: 'M4 5h16v14H4zM12 5v14M12 12h8',
  puzzle: 'M4 8h5a2.500 2.500 0 1 1 5 0h5v4a2.500 2.500 0 1 0 0 5v4H4z',
  testcard: 'M4 5h16v14H4zM9 5v14M15 5v14M4 14h16',
  printer: 'M7 9V3h10v6M7 17H4V9h16v8h-3M7 14h10v7H7z',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  key: 'M8 15a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM12.500 10.500H21v4M17 10.500v3',
  back: 'M15 5l-7 7 7 7',
};

/** An icon. It says nothing by itself: the text next to it, or the label of its button, does. */
export const Icon = ({ name }: { readonly name: string }) => (
  <svg class="icon" data-icon={name} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={paths[name] ?? ''} />
  </svg>
);
