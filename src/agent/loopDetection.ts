import type { ToolUseBlock } from '../model/types.js';
import { oneLine } from '../util/text.js';

/** Responses of the model that are looked back at. */
const STEPS = 10;
/** In so many of them one and the same call may stand. */
const MAX_SAME = 5;

export type Verdict =
  | { readonly kind: 'fine' }
  /** The call is made; the model is told once. */
  | { readonly kind: 'told'; readonly text: string }
  | { readonly kind: 'stopped'; readonly because: string };

/** Sees an agent that goes round in circles: the same call with the same input again and again. */
export interface LoopDetector {
  /** To be asked before the calls of a response are made. */
  step(calls: readonly ToolUseBlock[]): Verdict;
}

export function createLoopDetector(): LoopDetector {
  let steps: ReadonlySet<string>[] = [];
  const told = new Set<string>();
  return {
    step(calls) {
      // Twice in one response is no circle: nothing was seen in between.
      const made = new Map(calls.map((call) => [signatureOf(call), call]));
      steps = [...steps, new Set(made.keys())].slice(-STEPS);
      const repeated = [...made].filter(([signature]) => steps.filter((step) => step.has(signature)).length > MAX_SAME);
      const again = repeated.find(([signature]) => told.has(signature));
      if (again) {
        return {
          kind: 'stopped',
          because: `It made the same call again after it was told that it goes round in circles: ${inWords(again[1])}`,
        };
      }
      if (repeated.length === 0) return { kind: 'fine' };
      for (const [signature] of repeated) told.add(signature);
      const which = repeated.map(([, call]) => inWords(call)).join('; ');
      return {
        kind: 'told',
        text: `You have made the same call with the same input more than ${MAX_SAME} times: ${which}. It will not come out differently. Do something else, or say what keeps you from going on; the same call once more ends your turn.`,
      };
    },
  };
}

const inWords = ({ name, input }: ToolUseBlock) => oneLine(`${name} ${JSON.stringify(input)}`, 120);

function signatureOf({ name, input }: ToolUseBlock): string {
  return `${name} ${JSON.stringify(sorted(input))}`;
}

/** The same whatever the order in which the model wrote the keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, sorted(inner)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
