import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { eventually } from '../helpers/eventually.js';
import { addTemplate, heardBy, live } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';

const SCRIPT = `
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: 'until [ -e go ]; do sleep 0.1; done' } }]
    - reply: Done.
  bob: [{ reply: Noted. }]
`;
const Event = z.looseObject({ type: z.string(), member: z.optional(z.string()), problem: z.optional(z.string()) });

test.each(['in-process', 'tmux'])(
  'a torn inbox is kept as a copy and told once, and its team goes on (%s)',
  async (backend) => {
    await using team = await stage(SCRIPT);
    await addTemplate(
      team,
      'pair',
      '---\nname: pair\ndescription: x\nlead: { permissionMode: bypassPermissions }\nmembers: [{ name: bob }]\n---\nGo.\n',
    );
    await using running = await live(team, ['run', 'pair', '--name', 'torn', '--keep', '--backend', backend]);
    await eventually(() => expect(heardBy(team, 'team-lead')).toHaveLength(1));

    const inboxes = join(team.home, 'teams', 'torn', 'inboxes');
    const copies = async () => (await readdir(inboxes)).filter((name) => name.startsWith('bob.json.corrupt-'));
    await writeFile(join(inboxes, 'bob.json'), '[{"from":"a"');
    await eventually(async () => expect(await copies()).toHaveLength(1));
    const sent = await team.troupe(['send', 'bob', 'Are you there?', '-t', 'torn']);
    expect(sent.exitCode, sent.stderr).toBe(0);
    await eventually(() => expect(heardBy(team, 'bob').at(-1)).toContain('Are you there?'));

    await writeFile(join(team.folder, 'go'), '');
    const { exitCode, stderr, stdout } = await running.ended();
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Done.\n' });
    const [copy = ''] = await copies();
    expect(existsSync(join(inboxes, copy))).toBe(true);
    const { stdout: log } = await team.troupe(['logs', '-t', 'torn', '--json']);
    const problems = z
      .array(Event)
      .parse(JSON.parse(log))
      .filter(({ type }) => type === 'inbox_problem');
    expect(problems).toMatchObject([{ member: 'bob', problem: expect.stringContaining(join(inboxes, copy)) }]);
    // In tmux it is said in bob's own pane.
    if (backend === 'in-process')
      expect(stderr.split('\n').filter((line) => line.includes('corrupt-'))).toHaveLength(1);
    expect(await copies()).toHaveLength(1);
  },
);
