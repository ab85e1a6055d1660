// The smallest whole script, as a TypeScript module: what cannot be said with patterns is said in code.
//
//     troupe model-server --script hello.ts
//
// prints the address to give, in another shell, to
//
//     ANTHROPIC_BASE_URL=http://… ANTHROPIC_API_KEY=any troupe run 'Say hello to Ada and Grace.'
//
// How a script is read is said in README.md.

/** What a function is given; README.md has the rest. */
interface Seen {
  readonly user: string;
  readonly results: readonly { readonly tool: string; readonly text: string }[];
}

const namesIn = (text: string) => /hello to (.+?)\./.exec(text)?.[1]?.split(' and ') ?? [];

export const agents = {
  // The lead, who is alone here: one command for each name in the prompt, side by side.
  'team-lead': [
    {
      name: 'greet',
      when: { turn: 1 },
      // Before it answers, it is overloaded once: a client that tries again does not notice.
      fault: { status: 529 },
      reply: ({ user }: Seen) => [
        { text: `I greet ${namesIn(user).join(' and ')}.` },
        ...namesIn(user).map((name) => ({ tool: 'Bash', input: { command: `echo "Hello, ${name}!"` } })),
      ],
    },
    {
      name: 'report',
      when: { tool: 'Bash', test: ({ results }: Seen) => results.every(({ text }) => text.startsWith('Hello')) },
      once: true,
      reply: ({ results }: Seen) => results.map(({ text }) => text.trim()).join('\n'),
    },
    { name: 'done', reply: 'Nothing more to do.' },
  ],
};
