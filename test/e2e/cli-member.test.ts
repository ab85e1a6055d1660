import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
  ['interrupt', 'bob'],
  ['shutdown', 'bob'],
  ['down'],
  ['restart', 'bob'],
  ['resume'],
  ['merge', 'bob'],
  ['gc'],
  ['trust'],
];

test.each([
  { how: 'as it is', prefix: '', commands: FOR_PERSONS },
  { how: 'without its mark', prefix: 'env -u TROUPE_MEMBER', commands: FOR_PERSONS },
  { how: 'with another’s mark', prefix: 'env TROUPE_MEMBER=carol@pair:1', commands: [['approve', 'x']] },
  {
    how: 'in an environment made anew',
    prefix: 'env -i PATH="$PATH" HOME="$HOME" TROUPE_HOME="$TROUPE_HOME" TROUPE_TEAM=pair',
    commands: [['approve', 'x']],
  },
])(
  'a command that a member’s own tool starts is refused where only a person may say it, and send speaks as that member ($how)',
  async ({ prefix, commands }) => {
    const program = `${prefix} ${process.execPath} ${BIN}`.trim();
    const said = [...commands, ['send', 'lead', 'As', 'bob.']].map(
      (args) => `${program} ${args.join(' ')} 2>&1; echo "=> $?"`,
    );
    await using home = await stage(`
agents:
  team-lead: [{ reply: Noted. }]
  bob:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: sh said.sh } }]
    - reply: Done.
`);
    // In a file, where no rule about troupe's own folder sees what is said.
    await writeFile(join(home.folder, 'said.sh'), said.join('\n'));
    await addTemplate(
      home,
      'pair',
      '---\nname: pair\ndescription: x\nlead: { permissionMode: bypassPermissions }\nmembers: [{ name: bob, prompt: Go. }]\n---\nGo.\n',
    );
    const { exitCode, stderr } = await home.troupe(['run', 'pair', '--name', 'pair', '--keep'], { timeout: 100_000 });
    expect(exitCode, stderr).toBe(0);
    const bob = home.server.log().filter(({ userId }) => userId.endsWith(':bob'));
    const last = Heard.parse(bob[1]?.body).messages.at(-1)?.content;
    const output = typeof last === 'string' || last === undefined ? '' : (last[0]?.content ?? '');
    const lines = output.trim().split('\n');
    expect(lines.slice(0, commands.length * 2)).toEqual(
      commands.flatMap(([command]) => [
        `troupe: "troupe ${command}" is for a person: it was started by a tool of the member bob@pair, and is refused.`,
        '=> 5',
      ]),
    );
    expect(lines.at(-1)).toBe('=> 0');
    const messages = Messages.parse(JSON.parse((await home.troupe(['inbox', '-t', 'pair', '--json'])).stdout));
    expect(messages).toContainEqual(expect.objectContaining({ from: 'bob', text: 'As bob.', type: 'message' }));
  },
);
