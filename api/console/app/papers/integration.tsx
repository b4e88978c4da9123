/** placeholder */
import type { ComponentType } from 'preact';
import type { Paper } from './paper-book.ts';

export const Integration: ComponentType<{ readonly paper: Paper }> = () => null;
