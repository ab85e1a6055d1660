import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addTemplate, heardBy, runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';

const bash = (command: string) => `{ tool: Bash, input: { command: ${JSON.stringify(command)} } }`;
const HOOKS = JSON.stringify({
  permissions: { allow: ['Bash(node *)'], deny: ['Bash(node forbidden*)'] },
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'echo heard >> "$HOME/heard"' }] }] },
});

test.each(['in-process', 'tmux'])(
  'rules and hooks that a person writes while a team runs hold from the next call on, for lead and members (%s)',
  async (backend) => {
    await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [${bash('node -e 1')}]
    - when: { tool: Bash, used: { rule: edit, times: 0 } }
      name: edit
      reply: [${bash('cp next.json settings/settings.json')}]
    - when: { tool: Bash, used: { rule: again, times: 0 } }
      name: again
      reply: [${bash('node -e 2')}]
    - when: { tool: Bash, used: { rule: bob, times: 0 } }
      name: bob
      reply: [{ tool: SendMessage, input: { to: bob, message: Go., summary: go } }]
    - reply: Done.
  bob:
    - when: { user: 'Go\\.' }
      reply: [${bash('node forbidden.js')}]
    - when: { turn: 1 }
      reply: Ready.
    - reply: Bob is done.
`);
    await addTemplate(
      team,
      'pair',
      '---\nname: pair\ndescription: x\nmembers: [{ name: bob, prompt: Wait. }]\n---\nGo.\n',
    );
    await mkdir(join(team.folder, 'settings'));
    await writeFile(
      join(team.folder, 'settings/settings.json'),
      '{"permissions": {"allow": ["Bash(cp next.json settings/settings.json)"]}}',
    );
    await writeFile(join(team.folder, 'next.json'), HOOKS);
    const { exitCode, stderr } = await runJson(
      team,
      'pair',
      '--backend',
      backend,
      '--settings',
      'settings/settings.json',
    );
    expect(exitCode, stderr).toBe(0);
    const lead = heardBy(team, 'team-lead').at(-1) ?? '';
    expect(lead).toContain('node -e 1 needs a permission'.slice(0, 9));
    expect(lead.match(/Nobody can be asked/g)).toHaveLength(1);
    expect(heardBy(team, 'bob').join()).toContain('The permission rule Bash(node forbidden*) refuses');
    expect(await readFile(join(team.folder, 'user/heard'), 'utf8')).toBe('heard\nheard\n');
  },
);
