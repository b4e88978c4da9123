/**
 * How the command is called here. Sentences call it `papergate`; code that prints one for people passes it through
 * here.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isCheckout } from './typescript.mjs';

/** Whether there is the link at the top of a checkout, which no package has. */
const hasLink = isCheckout || existsSync(join(import.meta.dirname, '../../papergate'));

/** The command as it is typed: its link in a checkout, where people stand at the top, and its name where it is installed. */
export const commandName = hasLink ? './papergate' : 'papergate';

/** The command before its first word, unless it is part of a path or of an address. */
const bareCommand = /(?<![\w./@-])papergate(?= [a-z])/g;

/** Returns a sentence with every command in it as it is typed here. */
export const asTypedHere = (sentence: string): string => sentence.replace(bareCommand, commandName);
