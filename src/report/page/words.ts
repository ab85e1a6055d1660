import { LEAD } from '../../team/member.js';
import { type Html, html } from './html.js';
import type { Clipped } from './story.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `340 ms`, `12.3 s`, `4 min 05 s`, `2 h 07 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${Number((ms / SECOND).toFixed(1))} s`;
  if (ms < HOUR) return two(ms, MINUTE, 'min', SECOND, 's');
  return ms < DAY ? two(ms, HOUR, 'h', MINUTE, 'min') : two(ms, DAY, 'd', HOUR, 'h');
}

function two(ms: number, large: number, largeWord: string, small: number, smallWord: string): string {
  const whole = Math.round(ms / small);
  const rest = whole % (large / small);
  const first = `${Math.floor(whole / (large / small))} ${largeWord}`;
  return rest === 0 ? first : `${first} ${String(rest).padStart(2, '0')} ${smallWord}`;
}

/** A time of day in UTC, with the day where it is another one than that of `start`. */
export function time(at: number, start: number): Html {
  const iso = isoOf(at);
  const day = iso.slice(0, 10);
  const shown = day === isoOf(start).slice(0, 10) ? iso.slice(11, 19) : `${day} ${iso.slice(11, 19)}`;
  return html`<time datetime="${iso}" title="${iso}">${shown}</time>`;
}

/** `2026-12-01 17:49:41 UTC` */
export function fullTime(at: number): string {
  return `${isoOf(at).slice(0, 19).replace('T', ' ')} UTC`;
}

/** What no date can say is the epoch. */
function isoOf(at: number): string {
  const date = new Date(at);
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString();
}

export function money(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

/** With a thin space between thousands. */
export function count(amount: number): string {
  return String(Math.round(amount)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

export function several(amount: number, one: string, many = `${one}s`): string {
  return `${count(amount)} ${amount === 1 ? one : many}`;
}

export function percent(share: number | null): string {
  return share === null ? '\u2013' : `${Math.round(share * 100)}\u202f%`;
}

export function tokensOf({ input, cacheRead, cacheWrite, output }: Tokens): number {
  return input + cacheRead + cacheWrite + output;
}

interface Tokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** How a name reads on the page: the lead's is the same in every team, and no member can be called `user`. */
export function nameWords(name: string): string {
  if (name === 'user') return 'you';
  return name === LEAD ? 'lead' : name;
}

/** A text in its own lines, and what is missing of it. */
export function textBlock({ text, cut }: Clipped): Html {
  return html`<pre tabindex="0">${text}</pre>${cut > 0 && html`<p class="cut">${several(cut, 'more character')} left out.</p>`}`;
}
