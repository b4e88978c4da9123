/** A drawing of a wall, where an empty house or a stranger is invited. */

/** Three frames on a wall: a landscape, a portrait and a page of text, above the edge of a sideboard. */
export const WallDrawing = () => (
  <svg class="wall-drawing" viewBox="0 0 420 190" aria-hidden="true" focusable="false">
    <g transform="translate(30 42)">
      <rect class="moulding" width="156" height="102" rx="3" />
      <rect class="mount" x="8" y="8" width="140" height="86" />
      <svg aria-hidden="true" x="20" y="18" width="116" height="66" viewBox="0 0 116 66">
        <rect class="sky" width="116" height="66" />
        <circle class="sun" cx="86" cy="18" r="8" />
        <path class="far" d="M0 46 Q30 22 58 40 T116 34 V66 H0Z" />
        <path class="near" d="M0 56 Q46 38 116 54 V66 H0Z" />
      </svg>
    </g>
    <g transform="translate(214 18)">
      <rect class="moulding" width="84" height="120" rx="3" />
      <rect class="mount" x="7" y="7" width="70" height="106" />
      <svg aria-hidden="true" x="16" y="16" width="52" height="88" viewBox="0 0 52 88">
        <rect class="sky" width="52" height="88" />
        <path class="far" d="M26 74 V40 M26 52 Q12 50 10 36 Q24 36 26 52 M26 46 Q40 42 42 28 Q28 28 26 46" />
        <path class="near" d="M14 70 H38 L34 88 H18Z" />
        <circle class="sun" cx="26" cy="28" r="8" />
      </svg>
    </g>
    <g transform="translate(326 66)">
      <rect class="moulding" width="66" height="56" rx="3" />
      <rect class="mount" x="6" y="6" width="54" height="44" />
      <path class="letters" d="M14 18 H44 M14 26 H52 M14 34 H38" />
    </g>
    <path class="sideboard" d="M8 178 H412" />
  </svg>
);
