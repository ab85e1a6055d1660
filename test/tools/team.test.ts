import { expect, test } from 'vitest';
import type { Tool } from '../../src/agent/tool.js';
import { createMessagePort } from '../../src/app/tools/messagePort.js';
import { systemIds } from '../../src/host/ids.js';
import type { AgentCall } from '../../src/tools/agent.js';
import { createAgentTool } from '../../src/tools/agent.js';
import { createExitPlanModeTool, enterPlanModeTool } from '../../src/tools/planMode.js';
import { createSendMessageTool } from '../../src/tools/sendMessage.js';
import { createTaskTools } from '../../src/tools/tasks.js';
import { ToolError, UserError } from '../../src/util/errors.js';
import { type TeamOnDisk, teamOnDisk } from '../helpers/team.js';
import { textOf, toolContext, use } from './context.js';

const context = toolContext('/');

function messages(team: TeamOnDisk, from = 'bob') {
  const told: string[] = [];
  const teammate = {
    toldLead: () => told.push('lead'),
    answerShutdown: async (id: string, approve: boolean, reason?: string) => `${id} ${approve} ${reason}`,
  };
  const port = createMessagePort({
    place: team.place,
    sender: { from },
    ...(from !== 'team-lead' && { teammate }),
  });
  const tool = createSendMessageTool(port);
  return { told, send: (to: string, message: unknown) => textOf(tool, { to, message }, context) };
}

test('SendMessage: text to a member, with its id, whether it runs and what is ahead', async () => {
  await using team = await teamOnDisk({ members: ['bob', 'carol'] });
  const { send, told } = messages(team);
  expect(await send('carol', 'hello')).toMatch(/^Sent as [\w-]+ to carol \(not running: .*\)\.$/);
  expect(await send('carol', 'again')).toMatch(/1 ahead/);
  expect(told).toEqual([]);
  await send('lead', 'report');
  await send('*', 'all');
  expect(told).toEqual(['lead', 'lead']);
  expect((await team.mail('carol')).map(({ from }) => from)).toEqual(['bob', 'bob', 'bob']);
});

test.each([
  ['carol', { type: 'shutdown_request' }, 'Only the lead'],
  ['team-lead', { type: 'plan_approval_response', request_id: 'x', approve: true }, 'Only the lead or the user'],
  ['team-lead', { type: 'plan_approval_request', plan: 'p' }, 'ExitPlanMode'],
  [
    'team-lead',
    { type: 'permission_response', request_id: 'x', behavior: 'allow' },
    'not a message that a model may send',
  ],
  ['carol', { type: 'mode_set', mode: 'bypassPermissions' }, 'not a message that a model may send'],
  ['*', { type: 'shutdown_response', request_id: 'x', approve: true }, 'Only text can go to everybody'],
  ['nobody', 'hi', 'No member "nobody"'],
  ['carol', ' ', 'empty'],
])('a teammate’s model cannot say to %s: %j', async (to, message, words) => {
  await using team = await teamOnDisk({ members: ['bob', 'carol'] });
  const refused = messages(team).send(to, message);
  await expect(refused).rejects.toThrow(ToolError);
  await expect(refused).rejects.toThrow(words);
  expect([...(await team.mail('carol')), ...(await team.mail('team-lead'))]).toEqual([]);
});

test('a lead’s model asks to shut down and answers plans, also with "true" for true', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const { send } = messages(team, 'team-lead');
  expect(await send('bob', { type: 'shutdown_request', reason: 'done' })).toMatch(/^Asked bob/);
  await expect(send('lead', { type: 'shutdown_request' })).rejects.toThrow('troupe down');
  await expect(send('bob', { type: 'shutdown_response', request_id: 'x', approve: true })).rejects.toThrow('lead');
  const id = systemIds.uuid();
  await team.requests.create({ id, kind: 'plan', from: 'bob', plan: 'p' });
  await expect(send('bob', { type: 'plan_approval_response', request_id: id, approve: false })).rejects.toThrow(
    'feedback',
  );
  expect(await send('bob', { type: 'plan_approval_response', request_id: id, approve: 'true' })).toMatch(/^Approved/);
  await expect(send('bob', { type: 'plan_approval_response', request_id: id, approve: true })).rejects.toThrow(
    'already',
  );
  expect((await team.mail('bob')).map(({ type }) => type)).toEqual(['shutdown_request', 'plan_approval_response']);
});

function taskTools(team: TeamOnDisk) {
  const tools = createTaskTools(team.tasks, { name: 'bob', generation: 3 });
  return async (name: string, input: object) => {
    const tool = tools.find((candidate) => candidate.name === name);
    if (!tool) throw new Error(name);
    return JSON.parse(await textOf(tool, input, context));
  };
}

test('tasks: made, read, claimed in one’s own name and generation, completed, deleted', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const task = taskTools(team);
  expect(await task('TaskCreate', { subject: 'parser', description: 'all of it' })).toEqual({
    task: { id: '1', subject: 'parser' },
  });
  await task('TaskCreate', { subject: 'printer', description: '' });
  await task('TaskUpdate', { taskId: 2, addBlockedBy: [1] });
  expect(await task('TaskUpdate', { taskId: '1', status: 'in_progress' })).toMatchObject({ success: true });
  expect(await team.tasks.get('1')).toMatchObject({ owner: 'bob', ownerGeneration: 3, status: 'in_progress' });
  expect(await task('TaskGet', { taskId: 2 })).toMatchObject({ task: { blockedBy: ['1'], description: '' } });
  await expect(task('TaskUpdate', { taskId: 2, owner: 'bob' })).rejects.toThrow(ToolError);
  await task('TaskUpdate', { taskId: 1, status: 'completed' });
  await task('TaskUpdate', { taskId: 2, status: 'deleted' });
  expect(await task('TaskList', {})).toEqual({
    tasks: [{ id: '1', subject: 'parser', status: 'completed', owner: 'bob', blockedBy: [] }],
  });
  expect(await task('TaskGet', { taskId: 9 })).toEqual({ task: null });
});

test('a task that another owns cannot be taken by saying in_progress', async () => {
  await using team = await teamOnDisk({ members: ['bob', 'carol'] });
  await team.tasks.create({ subject: 's', description: '' });
  await team.tasks.claim('1', 'carol', 1);
  await expect(taskTools(team)('TaskUpdate', { taskId: 1, status: 'in_progress' })).rejects.toThrow(ToolError);
  expect(await team.tasks.get('1')).toMatchObject({ owner: 'carol' });
});

test('ExitPlanMode hands in a plan and ends the turn; outside plan mode, and empty, it approves nothing', async () => {
  const submitted: string[] = [];
  const tool = createExitPlanModeTool(async (plan) => {
    submitted.push(plan);
    return { requestId: 'r1', planPath: '/p.md' };
  });
  await expect(use(tool, { plan: 'p' }, context)).rejects.toThrow('not in plan mode');
  await expect(use(tool, { plan: ' ' }, toolContext('/', { mode: 'plan' }))).rejects.toThrow('empty');
  const output = await use(tool, { plan: 'p' }, toolContext('/', { mode: 'plan' }));
  expect(output).toMatchObject({
    endsTurn: 'waits-for-plan',
    content: expect.stringContaining('"awaitingLeaderApproval":true'),
  });
  expect(output).not.toHaveProperty('mode');
  expect(submitted).toEqual(['p']);
  expect(await use(enterPlanModeTool, {}, context)).toMatchObject({ mode: 'plan' });
});

test('Agent: its schema has only what can be used here, and says why a known field is not there', async () => {
  const calls: AgentCall[] = [];
  const start = async (call: AgentCall) => `${calls.push(call)}`;
  const fieldsOf = (tool: Tool) => Object.keys(tool.schema.input_schema.properties ?? {});
  const lead = createAgentTool({ start, offersTeammates: true, offersBackground: true });
  const flat = createAgentTool({
    start: async () => Promise.reject(new UserError('no such type')),
    offersTeammates: false,
    offersBackground: 'Not here.',
  });
  const always = ['description', 'prompt', 'subagent_type', 'model', 'isolation'];
  expect(fieldsOf(lead)).toEqual([...always, 'run_in_background', 'name', 'team_name', 'mode']);
  expect(fieldsOf(flat)).toEqual(always);
  await use(lead, { description: 'd', prompt: 'p', name: 'bob', mode: 'plan', isolation: 'worktree' }, context);
  await use(lead, { description: 'd', prompt: 'p', subagent_type: 'Explore', run_in_background: true }, context);
  expect(calls).toMatchObject([
    { toolUseId: 'toolu_1', name: 'bob', mode: 'plan', isolation: 'worktree' },
    { subagentType: 'Explore', runInBackground: true },
  ]);
  expect(() => flat.prepare({ description: 'd', prompt: 'p', name: 'bob' }, context)).toThrow(
    'name: there is no such field',
  );
  expect(() => flat.prepare({ description: 'd', prompt: 'p', run_in_background: true }, context)).toThrow(
    'run_in_background: Not here.',
  );
  await expect(use(flat, { description: 'd', prompt: 'p' }, context)).rejects.toThrow(ToolError);
  expect(lead.prepare({ description: 'd', prompt: 'p' }, context).access).toEqual({
    kind: 'other',
    specifier: 'general-purpose',
  });
});
