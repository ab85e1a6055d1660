import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { run } from '../../src/host/run.js';
import { eventually } from './eventually.js';
import { BIN } from './program.js';
import { resultsOf } from './requests.js';
import { STARTS_WITHIN, type TmuxStage, tmuxStage } from './tmuxTeam.js';
import { userServer } from './userServer.js';

type Input = Readonly<Record<string, unknown>>;

/** One thing that a puppet does when a message has a line that begins so; `$1`, `$2` in its input are the words behind it. */
interface Deed {
  readonly line: string;
  readonly tool: string;
  readonly input: Input;
}

const word = '(\\S+)';
const rest = '(.+)';

const DEEDS: readonly Deed[] = [
  { line: `send ${word} ${rest}`, tool: 'SendMessage', input: { to: '$1', message: '$2', summary: 'a word' } },
  { line: `end ${word}`, tool: 'SendMessage', input: { to: '$1', message: { type: 'shutdown_request' } } },
  {
    line: `judge ${word} ${word} ${word} ${rest}`,
    tool: 'SendMessage',
    input: { to: '$1', message: { type: 'plan_approval_response', request_id: '$2', approve: '$3', feedback: '$4' } },
  },
  { line: `post ${word} ${word}`, tool: 'SendMessage', input: { to: '$1', message: { type: '$2' } } },
  { line: `run ${rest}`, tool: 'Bash', input: { command: '$1' } },
  { line: `write ${word} ${rest}`, tool: 'Write', input: { file_path: '$1', content: '$2' } },
  { line: `plan ${rest}`, tool: 'ExitPlanMode', input: { plan: '$1' } },
  { line: `agent ${word} ${rest}`, tool: 'Agent', input: { subagent_type: '$1', description: 'x', prompt: '$2' } },
];

/** An agent that does what it is told in plain lines, says no to its end with `busy`, and else just notes. */
function puppet(name: string): readonly object[] {
  const no = {
    when: { user: 'asks you to shut down \\(request_id' },
    capture: { [`${name}Request`]: { from: 'user', match: 'request_id: ([0-9a-f-]+)' } },
    reply: [
      {
        tool: 'SendMessage',
        input: {
          to: 'team-lead',
          message: { type: 'shutdown_response', request_id: `{{${name}Request}}`, approve: 'false', reason: 'busy' },
        },
      },
    ],
  };
  const deeds = DEEDS.map(({ line, tool, input }, index) => {
    const groups = [...line.matchAll(/\(\\S\+\)|\(\.\+\)/g)].map((_, at) => at);
    // Captures take one group each: the others are matched without being kept.
    const capture = Object.fromEntries(
      groups.map((kept) => {
        let at = -1;
        const match = line.replaceAll(/\((\\S\+|\.\+)\)/g, (whole, inner: string) => {
          at++;
          return at === kept ? whole : `(?:${inner})`;
        });
        return [`${name}${index}x${kept + 1}`, { from: 'user', match: `^${match}$` }];
      }),
    );
    const filled = JSON.parse(JSON.stringify(input).replaceAll(/\$(\d)/g, (_, at) => `{{${name}${index}x${at}}}`));
    return { when: { user: `^${line}$` }, capture, reply: [{ tool, input: filled }] };
  });
  return [no, ...deeds, { reply: `Noted by ${name}.` }];
}

export function puppetScript(...names: readonly string[]): string {
  const agents = Object.fromEntries(names.map((name) => [name, puppet(name.replace(/\W/g, ''))]));
  return JSON.stringify({ agents: { ...agents, '*': [{ reply: 'Noted.' }] } });
}

export const BACKENDS = ['tmux', 'in-process'] as const;
export type BackendName = (typeof BACKENDS)[number];

export interface PuppetTeam extends TmuxStage {
  /** Tells a puppet to do something, waits until it is idle again, and returns what its tool has answered. */
  does(member: string, line: string): Promise<string>;
  /** What the tools of an agent have answered, as texts, newest last. */
  answers(agent: string): string[];
  /** Waits until an agent has been told something, in any request. */
  hears(agent: string, words: string | RegExp): Promise<string>;
  /** Presses a key at the lead, by tmux's name for it. */
  pressAtLead(key: string): Promise<void>;
  /** Types a line at the lead. */
  typeToLead(line: string): Promise<void>;
  /** What the lead's pane shows. */
  leadScreen(): Promise<string>;
  /** The folder of the team's files. */
  readonly root: string;
}

/** A team of puppets with a person at its lead, on either backend. */
export async function puppetTeam(
  backend: BackendName,
  template: string,
  script: string,
  ...flags: readonly string[]
): Promise<PuppetTeam> {
  const stage = await tmuxStage(script);
  await stage.template('puppets', template);
  const argv = ['up', 'puppets', '--name', 'red', ...flags, '--backend', backend];
  const user = backend === 'in-process' ? await userServer(stage) : undefined;
  if (user) {
    await user.say(user.pane, [process.execPath, BIN, ...argv]);
    await stage.untilUp('red');
  } else await stage.ok(...argv, '--detach');
  const root = join(stage.home, 'teams', 'red');
  const tmuxOfLead = async (...args: string[]) => (user ? user.tmux(...args) : stage.tmux(...args));
  const paneOfLead = async () => user?.pane ?? (await stage.member('team-lead')).pane;
  const answers = (agent: string) =>
    resultsOf(stage, agent).map((content) => (typeof content === 'string' ? content : JSON.stringify(content)));
  return {
    ...stage,
    root,
    async does(member, line) {
      const before = answers(member).length;
      await stage.tell(member, line);
      const answer = await eventually(() => {
        const all = answers(member);
        expect(all.length).toBeGreaterThan(before);
        return all.at(-1) ?? '';
      }, STARTS_WITHIN);
      await stage.until(member, 'idle');
      return answer;
    },
    answers,
    hears: (agent, words) =>
      eventually(() => {
        // From its newest request that has them: what is said stays in the conversation.
        const last = stage.heard(agent).map((request) => request.slice(request.indexOf('"messages":')));
        const found = last.findLast((text) => (typeof words === 'string' ? text.includes(words) : words.test(text)));
        expect(found !== undefined, `${agent} hears ${words}`).toBe(true);
        return found ?? '';
      }, STARTS_WITHIN),
    async pressAtLead(key) {
      await tmuxOfLead('send-keys', '-t', await paneOfLead(), key);
    },
    async typeToLead(line) {
      const pane = await paneOfLead();
      await tmuxOfLead('send-keys', '-t', pane, '-l', line);
      await tmuxOfLead('send-keys', '-t', pane, 'Enter');
    },
    leadScreen: async () => tmuxOfLead('capture-pane', '-p', '-J', '-S', '-', '-t', await paneOfLead()),
  };
}

/** The names in a folder; none where there is none. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}

/** Runs a program of this test's environment. */
export const shell = (stage: TmuxStage, command: string) =>
  run('/bin/sh', ['-c', command], { env: stage.env, cwd: stage.repo });
