import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { initRepo } from '../helpers/gitRepo.js';
import { type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';

const FILES = {
  'CLAUDE.md': 'HOUSE-RULE',
  '.claude/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies up.\n---\nTIDY-BODY $ARGUMENTS',
  '.claude/skills/inner/SKILL.md': '---\nname: inner\ndescription: For agents.\nuser-invocable: false\n---\nINNER-BODY',
  '.claude/agents/noter.md': '---\nname: noter\ndescription: Notes.\nmemory: project\nskills: tidy\n---\nYou note.',
  '.claude/agent-memory/noter/MEMORY.md': 'OLD-NOTE',
};

async function makeProject(path: string) {
  const repo = await initRepo(path);
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  await repo.git('add', '--all');
  await repo.git('commit', '--quiet', '-m', 'knowledge');
}

const SCRIPT = `
agents:
  team-lead: [{ reply: "Noted by the lead." }]
  bob: [{ reply: "Noted by bob." }]
`;
const TEMPLATE = `---
name: one
description: x
members: [{ name: bob, agent: noter, prompt: Look., worktree: true }]
---
Wait.
`;

const up = async (team: TmuxStage) => {
  await team.template('one', TEMPLATE);
  await team.ok('up', 'one', '--name', 'red', '--detach', '--backend', 'tmux');
  await team.until('bob', 'idle');
  await team.until('team-lead', 'idle');
};

test('in panes too a member knows instructions, notes and skills; /name is a skill in the lead’s pane, in a teammate’s and by message', async () => {
  await using team = await tmuxStage(SCRIPT, makeProject);
  await up(team);
  try {
    const [bob = ''] = team.heard('bob');
    for (const word of ['HOUSE-RULE', 'OLD-NOTE', 'TIDY-BODY', '- inner: For agents.']) expect(bob).toContain(word);
    await team.type('team-lead', '/tidy the desk');
    await eventually(() => expect(team.heard('team-lead').at(-1)).toContain('TIDY-BODY the desk'));
    await team.type('bob', '/tidy the room');
    await eventually(() => expect(team.heard('bob').at(-1)).toContain('TIDY-BODY the room'));
    await team.tell('bob', '/tidy the house');
    await eventually(() => expect(team.heard('bob').at(-1)).toContain('TIDY-BODY the house'));
    // No command and no skill for people: the lead's prompt says so, and its agent hears nothing.
    const before = team.heard('team-lead').length;
    await team.type('team-lead', '/inner');
    const { pane } = await team.member('team-lead');
    await eventually(async () =>
      expect(await team.tmux('capture-pane', '-p', '-t', pane)).toContain('There is no command /inner'),
    );
    expect(team.heard('team-lead').slice(before).join()).not.toContain('INNER-BODY');
  } finally {
    await team.ok('down');
  }
});
