import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { addTemplate } from '../helpers/headless.js';
import { BIN, stage } from '../helpers/program.js';

const Messages = z.array(z.looseObject({ from: z.string(), text: z.string(), type: z.string() }));

const Heard = z.object({
  messages: z.array(
    z.object({ content: z.union([z.string(), z.array(z.looseObject({ content: z.optional(z.string()) }))]) }),
  ),
});

const FOR_PERSONS: readonly (readonly string[])[] = [
  ['up', '--detach', 'x'],
  ['add', 'carol'],
  ['approve', 'x'],
  ['reject', 'x', '--feedback', 'no'],
  ['allow', 'x'],
  ['deny', 'x'],
  ['shutdown', 'bob'],
  ['down'],
  ['restart', 'bob'],
  ['trust'],
];

test('a command that a member’s own tool starts is refused where only a person may say it; send speaks as that member', async () => {
  const program = `${process.execPath} ${BIN}`;
  const said = [...FOR_PERSONS, ['send', 'lead', 'As', 'bob.']].map(
    (args) => `${program} ${args.join(' ')} 2>&1; echo "=> $?"`,
  );
  await using home = await stage(`
agents:
  team-lead: [{ reply: Noted. }]
  bob:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: ${JSON.stringify(said.join('; '))} } }]
    - reply: Done.
`);
  await addTemplate(
    home,
    'pair',
    '---\nname: pair\ndescription: x\nlead: { permissionMode: bypassPermissions }\nmembers: [{ name: bob, prompt: Go. }]\n---\nGo.\n',
  );
  const { exitCode, stderr } = await home.troupe(['run', 'pair', '--name', 'pair', '--keep'], { timeout: 60_000 });
  expect(exitCode, stderr).toBe(0);
  const bob = home.server.log().filter(({ userId }) => userId.endsWith(':bob'));
  const last = Heard.parse(bob[1]?.body).messages.at(-1)?.content;
  const output = typeof last === 'string' || last === undefined ? '' : (last[0]?.content ?? '');
  const lines = output.trim().split('\n');
  expect(lines.slice(0, FOR_PERSONS.length * 2)).toEqual(
    FOR_PERSONS.flatMap(([command]) => [
      `troupe: "troupe ${command}" is for a person: it was started by a tool of the member bob@pair, and is refused.`,
      '=> 5',
    ]),
  );
  expect(lines.at(-1)).toBe('=> 0');
  const messages = Messages.parse(JSON.parse((await home.troupe(['inbox', '-t', 'pair', '--json'])).stdout));
  expect(messages).toContainEqual(expect.objectContaining({ from: 'bob', text: 'As bob.', type: 'message' }));
});
