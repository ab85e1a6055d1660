import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { addTemplate, heardBy, linesOf, live, runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';
import { tmuxStage } from '../helpers/tmuxTeam.js';
import { userServer } from '../helpers/userServer.js';

const pair = (prompt = '') => `---
name: pair
description: A lead and one more.
lead: { permissionMode: bypassPermissions }
members: [{ name: bob, permissionMode: bypassPermissions${prompt} }]
---
Go.
`;
const HANGS = '[{ fault: { stream: hang, times: 9 }, reply: never }]';

test('mail reaches a headless lead that has ended its turn, with pipes for stdin and stdout', async () => {
  await using team = await stage(`
agents:
  team-lead: [{ when: { user: 'Any news' }, reply: I have heard you. }, { reply: I wait. }]
  bob: ${HANGS}
`);
  await addTemplate(team, 'pair', pair(', prompt: Look.'));
  await using run = await live(team, ['run', 'pair', '--name', 'hears', '--output-format', 'stream-json']);
  await eventually(() => expect(run.stdout()).toContain('I wait.'));
  const sent = await team.troupe(['send', 'team-lead', 'Any news?', '-t', 'hears']);
  expect(sent.exitCode, sent.stderr).toBe(0);
  await eventually(() => expect(run.stdout()).toContain('I have heard you.'));
  process.kill(run.pid, 'SIGTERM');
  expect(linesOf(await run.ended()).at(-1)).toMatchObject({ type: 'result', result: 'I have heard you.' });
});

test('teammates that are idle keep no run from its end, and are asked to end before they are ended', async () => {
  await using team = await stage("agents: { '*': [{ reply: Done. }] }");
  const bob = 'name: bob, prompt: Look.';
  await addTemplate(team, 'pair', pair().replace('name: bob', bob).replace('}]', '}, { name: cem, prompt: Look. }]'));
  const ended = await team.troupe(['run', 'pair', '--output-format', 'stream-json'], { timeout: 100_000 });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const result = linesOf(ended).at(-1);
  expect(result).toMatchObject({ subtype: 'success', is_error: false });
  expect(ended.stderr).toMatch(/^bob has ended$/m);
  expect(ended.stderr).toMatch(/^cem has ended$/m);
});

test('an agent that is still at work when the time is over is named, and the run has failed', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: Look far, prompt: Look., subagent_type: general-purpose, run_in_background: true } }]
    - { reply: I wait. }
  'team-lead/*': ${HANGS}
`);
  await using run = await live(team, ['run', 'Go.', '--output-format', 'json']);
  await eventually(() => expect(heardBy(team, 'team-lead/')).toHaveLength(1));
  process.kill(run.pid, 'SIGTERM');
  const ended = await run.ended();
  expect(ended.exitCode, ended.stderr).toBe(143);
  expect(linesOf(ended).at(-1)).toMatchObject({
    is_error: true,
    errors: expect.arrayContaining([expect.stringMatching(/^team-lead: agent "Look far" still at work/)]),
  });
});

test.each([
  { what: 'by default', args: [] },
  { what: 'with --backend in-process', args: ['--backend', 'in-process'] },
  { what: 'with --backend tmux, on a server of its own', args: ['--backend', 'tmux'] },
])('a run inside the user’s tmux opens no pane there, $what', async ({ args }) => {
  await using team = await tmuxStage("agents: { '*': [{ reply: Done. }] }");
  await team.template('pair', pair(', prompt: Look.'));
  const user = await userServer(team);
  const before = { traces: await team.traces(), state: await user.state() };
  const env = { ...team.env, TMUX: `${user.socketPath},1,0`, TMUX_PANE: user.pane };
  const ended = await team.troupe(['run', 'pair', ...args], { env });
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect({ traces: await team.traces(), state: await user.state() }).toEqual(before);
});

test.each([429, 529])(
  'a service that answers %i for good is no success: 75, is_error, and words on stderr',
  async (status) => {
    const away = `agents: { '*': [{ fault: { status: ${status}, retryAfter: 0.02, times: 999 }, reply: never }] }`;
    await using alone = await stage(away);
    const { exitCode, result } = await runJson(alone, 'Hello.');
    expect({ exitCode, isError: result.is_error, subtype: result.subtype }).toEqual({
      exitCode: 75,
      isError: true,
      subtype: 'error_during_execution',
    });
    const text = await alone.troupe(['run', 'Hello.'], { timeout: 100_000 });
    expect({ exitCode: text.exitCode, stdout: text.stdout }).toEqual({ exitCode: 75, stdout: '' });
    expect(text.stderr).toMatch(new RegExp(`^troupe: error_during_execution: .*${status}`, 'm'));
  },
);
