/** The folders in which this machine has its fonts. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The variables of the environment that say where fonts are, and what the program that reads them has to see. */
export const fontVariables = ['HOME', 'USERPROFILE', 'XDG_DATA_HOME', 'LOCALAPPDATA', 'SystemRoot', 'WINDIR'] as const;

/** Returns the folders of fonts of this system and of the user, whether they exist or not. */
export function fontFolders(): readonly string[] {
  const { XDG_DATA_HOME: data, LOCALAPPDATA: local, WINDIR: windows = 'C:\\Windows' } = process.env;
  const home = homedir();
  if (process.platform === 'darwin') return ['/System/Library/Fonts', '/Library/Fonts', join(home, 'Library/Fonts')];
  if (process.platform === 'win32') {
    return [join(windows, 'Fonts'), ...(local === undefined ? [] : [join(local, 'Microsoft/Windows/Fonts')])];
  }
  const ofUser = [join(data ?? join(home, '.local/share'), 'fonts'), join(home, '.local/share/fonts')];
  return [...new Set(['/usr/share/fonts', '/usr/local/share/fonts', ...ofUser, join(home, '.fonts')])];
}
