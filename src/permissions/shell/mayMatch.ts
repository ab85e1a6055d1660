import { UNKNOWN } from './script.js';

/** Whether a text of which parts are not known may turn out to match a rule's pattern, as `matchesWildcards` reads it. */
export function mayMatchWildcards(pattern: string, text: string): boolean {
  const [, stem] = /^(.*?)(?:\s+\*|:\*)$/s.exec(pattern) ?? [];
  return stem === undefined ? mayMeet(pattern, text) : mayMeet(stem, text) || mayMeet(`${stem} *`, text);
}

/** Whether there is a text that both describe: `*` stands for anything in one, `UNKNOWN` in the other. */
function mayMeet(pattern: string, text: string): boolean {
  // reachable[n]: whether the pattern so far and the first n characters of the text can be made the same.
  let reachable = spread([true, ...text.split('').map(() => false)], text);
  for (const letter of pattern.split('')) {
    const first = reachable.indexOf(true);
    if (first < 0) return false;
    const next = reachable.map((isReached, at) => {
      if (letter === '*') return at >= first;
      return (
        at > 0 && ((text[at - 1] === letter && reachable[at - 1] === true) || (isReached && text[at - 1] === UNKNOWN))
      );
    });
    reachable = spread(next, text);
  }
  return reachable.at(-1) === true;
}

/** What is not known may be nothing. */
function spread(reachable: readonly boolean[], text: string): boolean[] {
  const all: boolean[] = [];
  for (const [at, isReached] of reachable.entries())
    all.push(isReached || (at > 0 && text[at - 1] === UNKNOWN && all[at - 1] === true));
  return all;
}
