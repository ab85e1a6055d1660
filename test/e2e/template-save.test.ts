import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTaskList } from '../../src/tasks/taskList.js';
import { openTeamFile } from '../../src/team/teamFile.js';
import { type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';

const SCRIPT = `
agents:
  '*': [{ reply: Noted. }]
`;

const QUARRY = `---
name: quarry
description: Some of everything.
lead: { permissionMode: acceptEdits, model: opus }
members:
  - { name: digger, worktree: true, permissionMode: acceptEdits, prompt: "Dig for {{prompt}}, and keep {{'{{'}}braces}}.", color: pink }
  - { name: planner, plan: true, prompt: Plan. }
  - { name: guard, agent: Explore, model: haiku, tools: [Read, Grep], permissionMode: default }
tasks:
  - { subject: Dig, owner: digger, description: Deep. }
  - { subject: Fill, after: 1 }
permissions: { allow: ['Bash(npm test *)'], deny: ['Bash(git push *)'] }
allowedPaths: [/tmp]
approver: human
layout: windows
limits: { turns: 40, usd: 3 }
---
Lead them to {{prompt}}.
`.replace("{{'{{'}}braces}}", '${{ braces }}');

/** What makes a team what it is, without what is new in every one: ids, times, places. */
async function essence({ home, repo }: TmuxStage, name: string) {
  const root = join(home, 'teams', name);
  const team = await openTeamFile(join(root, 'config.json')).require();
  const tasks = await openTaskList(join(root, 'tasks')).list();
  return {
    settings: team.settings,
    layout: team.layout,
    approver: team.approver,
    allowed: team.teamAllowedPaths?.map(({ path, toolName }) => ({ path, toolName })),
    members: team.members
      .map(
        ({
          name: member,
          agentType,
          model,
          prompt,
          color,
          planModeRequired,
          mode,
          modeAfterPlan,
          tools,
          worktreePath,
        }) => ({
          ...{ member, agentType, model, prompt, color, planModeRequired, mode, modeAfterPlan, tools },
          hasWorktree: worktreePath?.startsWith(repo),
        }),
      )
      .sort((a, b) => a.member.localeCompare(b.member)),
    tasks: tasks.map(({ subject, description, blockedBy, owner }) => ({ subject, description, blockedBy, owner })),
  };
}

test('a team that is saved as a template and started from it is the same team', async () => {
  await using team = await tmuxStage(SCRIPT);
  await team.template('quarry', QUARRY);
  await team.ok('up', 'quarry', 'gold', '--name', 'first', '--detach', '--backend', 'tmux');
  const first = await essence(team, 'first');
  expect(first.members.map(({ member }) => member)).toEqual(['digger', 'guard', 'planner', 'team-lead']);
  const { path, leftOut } = JSON.parse(await team.ok('templates', 'save', 'again', '--json'));
  expect(leftOut).toEqual([]);
  expect(await readFile(path, 'utf8')).toContain('${{ braces }}');
  expect((await team.troupe(['templates', 'save', 'again'])).stderr).toContain('Choose another name');
  expect(await team.ok('templates', 'check')).toBe('All is well.');
  await team.ok('down', '--force');

  await team.ok('up', 'again', '--name', 'second', '--detach', '--backend', 'tmux');
  expect(await essence(team, 'second')).toEqual(first);
  await team.ok('down', '--force');
});
