import { styleText } from 'node:util';
import { Shown } from './shown.js';

type Style = Parameters<typeof styleText>[0];

/** Whether colours are wanted: not with NO_COLOR or a dumb terminal; FORCE_COLOR wants them (no-color.org, force-color.org). */
export function wantsColor(environment: Readonly<Record<string, string>>, isTerminal: boolean): boolean {
  if (environment['NO_COLOR']) return false;
  if (environment['FORCE_COLOR']) return environment['FORCE_COLOR'] !== '0';
  return isTerminal && environment['TERM'] !== 'dumb';
}

const COLORS: Readonly<Record<string, Style>> = {
  blue: 'blue',
  green: 'green',
  yellow: 'yellow',
  purple: 'magenta',
  orange: 'yellowBright',
  pink: 'magentaBright',
  cyan: 'cyan',
  red: 'red',
};

export interface Theme {
  member(name: string, color: string | undefined): Shown;
  strong(text: string): Shown;
  dim(text: string): Shown;
  warn(text: string): Shown;
}

export function theme(colored: boolean): Theme {
  const paint = (style: Style, text: string) =>
    new Shown(text, (words) => (colored ? styleText(style, words, { validateStream: false }) : words));
  return {
    member: (name, color) => paint(COLORS[color ?? ''] ?? 'bold', name),
    strong: (text) => paint('bold', text),
    dim: (text) => paint('dim', text),
    warn: (text) => paint('yellow', text),
  };
}
