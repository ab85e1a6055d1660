/** A way in which `troupe run` ends, and what its result says then. */
export interface Ending {
  readonly what: string;
  /** What the lead's model does, in the words of a script. */
  readonly lead: string;
  readonly args: readonly string[];
  readonly exitCode: number;
  readonly subtype: string;
  readonly text: string;
  readonly errors: RegExp | undefined;
}

const call = '[{ text: "I look." }, { tool: Bash, input: { command: "true" } }]';

export const ENDINGS: readonly Ending[] = [
  {
    what: 'success',
    lead: '{ reply: "It is 42." }',
    args: [],
    exitCode: 0,
    subtype: 'success',
    text: 'It is 42.',
    errors: undefined,
  },
  {
    what: 'a key that is refused',
    lead: '{ fault: { status: 401, message: "no such key", times: 9 }, reply: "never" }',
    args: [],
    exitCode: 5,
    subtype: 'error_during_execution',
    text: '',
    errors: /no such key/,
  },
  {
    what: 'a request that is refused',
    lead: '{ fault: { status: 400, message: "such nonsense", times: 9 }, reply: "never" }',
    args: [],
    exitCode: 1,
    subtype: 'error_during_execution',
    text: '',
    errors: /such nonsense/,
  },
  {
    what: 'a model service that stays away',
    lead: '{ fault: { status: 529, retryAfter: 0.02, times: 99 }, reply: "never" }',
    args: [],
    exitCode: 75,
    subtype: 'error_during_execution',
    text: '',
    errors: /overloaded|529/i,
  },
  {
    what: '--max-turns',
    lead: `{ reply: ${call} }`,
    args: ['--max-turns', '2'],
    exitCode: 3,
    subtype: 'error_max_turns',
    text: 'I look.',
    errors: /--max-turns/,
  },
  {
    what: '--max-budget-usd',
    lead: `{ reply: ${call} }`,
    args: ['--max-budget-usd', '0.00001'],
    exitCode: 3,
    subtype: 'error_max_budget_usd',
    text: 'I look.',
    errors: /budget|\$/i,
  },
  {
    what: '--timeout',
    lead: '{ fault: { stream: hang, times: 9 }, reply: "never" }',
    args: ['--timeout', '1s'],
    exitCode: 124,
    subtype: 'error_timeout',
    text: '',
    errors: /--timeout/,
  },
];
