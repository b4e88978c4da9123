/** Data as a tree: a click on a value gives the place that a template names it by. */
import { t } from '../../ground/words.ts';

interface TreeProps {
  readonly data: unknown;
  /** The place so far, as templates write it. */
  readonly place?: string;
  readonly choose: (place: string) => void;
}

/** Longer lists and maps end with the count of what is left out. */
const maxShown = 50;

/** Draws the tree. */
export const DataTree = ({ data, place = '', choose }: TreeProps) => {
  if (typeof data !== 'object' || data === null) return <Leaf value={data} place={place} choose={choose} />;
  const entries = Object.entries(data);
  return (
    <ul class="tree">
      {entries.slice(0, maxShown).map(([key, value]) => (
        <Branch key={key} name={key} value={value} place={placeIn(place, key, Array.isArray(data))} choose={choose} />
      ))}
      {entries.length > maxShown && <li class="note">{t('template.more', { count: entries.length - maxShown })}</li>}
    </ul>
  );
};

/** Returns the place of a value within another. */
function placeIn(place: string, key: string, isList: boolean): string {
  if (isList) return `${place}[${key}]`;
  if (/^[a-z_]\w*$/i.test(key)) return place === '' ? key : `${place}.${key}`;
  return `${place}["${key.replaceAll('"', '')}"]`;
}

const Branch = ({
  name,
  value,
  place,
  choose,
}: {
  readonly name: string;
  readonly value: unknown;
  readonly place: string;
  readonly choose: (place: string) => void;
}) => {
  if (typeof value !== 'object' || value === null)
    return (
      <li>
        {`${name}: `}
        <Leaf value={value} place={place} choose={choose} />
      </li>
    );
  const count = Object.keys(value).length;
  return (
    <li>
      <details>
        <summary>{`${name} ${Array.isArray(value) ? `[${count}]` : `{${count}}`}`}</summary>
        <DataTree data={value} place={place} choose={choose} />
      </details>
    </li>
  );
};

const maxLetters = 60;

const Leaf = ({
  value,
  place,
  choose,
}: {
  readonly value: unknown;
  readonly place: string;
  readonly choose: (place: string) => void;
}) => {
  const text = String(value ?? '');
  const shown = text.length > maxLetters ? `${text.slice(0, maxLetters)}…` : text;
  return (
    <button type="button" class="leaf" title={t('template.insert', { place })} onClick={() => choose(place)}>
      {shown === '' ? '–' : shown}
    </button>
  );
};
