/** Whether this browser has pictures on their way: any page of the console then goes on with them. */
const storedAs = 'papergate-on-its-way';

/** Checks this without loading the code that sends them. */
export const hasPicturesOnTheirWay = (): boolean => localStorage.getItem(storedAs) !== null;

/** Remembers it over a reload. */
export function noteOnItsWay(isSo: boolean): void {
  if (isSo) localStorage.setItem(storedAs, 'yes');
  else localStorage.removeItem(storedAs);
}
