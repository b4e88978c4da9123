/**
 * The things that scripts of recipes find in place of the framework's libraries for charts, maps and paints: lengths and
 * colours are answered, everything else does nothing and throws nothing.
 */

/** Options that name the element whose place decides. */
interface Where {
  readonly el?: string | Element;
}

const elementOf = ({ el }: Where = {}): Element =>
  (typeof el === 'string' ? document.getElementById(el.replace(/^#/, '')) : el) ??
  document.querySelector('.screen') ??
  document.documentElement;

const cssVar = (name: string, where?: Where): string =>
  getComputedStyle(elementOf(where)).getPropertyValue(name).trim();

const colourOf = (name: string, where?: Where): string => cssVar(`--${name}`, where) || '#000000';

/** Something that may be called and asked for anything, and gives itself. */
function nothing(): unknown {
  const itself: unknown = new Proxy(() => itself, {
    get: (_target, name) => (name === 'then' ? undefined : name === Symbol.toPrimitive ? () => '' : itself),
  });
  return itself;
}

/** Sets the global names that scripts of recipes may ask. */
export function setStandIns(): void {
  const rest = nothing();
  const paint: Readonly<Record<string, unknown>> = {
    px: (length: number) => length,
    scale: () => ({ ui: 1, content: 1 }),
    cssVar,
    bg: colourOf,
    text: colourOf,
    border: (name: string, where?: Where) => colourOf(`gray-${name}`, where),
  };
  const paints = new Proxy(paint, { get: (target, name) => target[String(name)] ?? rest });
  Object.assign(window, { TRMNLPaint: paints, TRMNLCharts: rest, TRMNLMaps: rest });
}
