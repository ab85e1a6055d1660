import { firstAndLastOf } from '../../../src/report/page/firstAndLast.js';
import {
  clip,
  NO_TALK,
  type Story,
  type StoryDenial,
  type StoryMember,
  type StoryMessage,
  type Talk,
  type ToolCall,
} from '../../../src/report/page/story.js';
import { COLORS } from '../../../src/util/colors.js';

/** The first moment of every story. */
export const START = Date.UTC(2026, 0, 2, 3, 4, 5);

const SPENT = { input: 100, output: 50, cacheRead: 700, cacheWrite: 200, costUsd: 0.25 };

/** Nothing has happened in it. */
export function emptyStory(more: Partial<Story> = {}): Story {
  return {
    team: 'red',
    state: 'stopped',
    madeAt: START + 100_000,
    startedAt: START,
    endedAt: START + 60_000,
    members: [],
    tasks: [],
    messages: firstAndLastOf<StoryMessage>([], 1, 1),
    requests: [],
    denials: firstAndLastOf<StoryDenial>([], 1, 1),
    events: firstAndLastOf<Story['events']['first'][number]>([], 1, 1),
    missing: [],
    ...more,
  };
}

export function memberOf(name: string, more: Partial<StoryMember> = {}): StoryMember {
  return {
    name,
    state: 'idle',
    model: 'claude-opus-5-5',
    mode: 'default',
    turns: 1,
    models: {},
    lives: [],
    deaths: [],
    talk: NO_TALK,
    agents: [],
    agentsLeftOut: 0,
    ...more,
  };
}

export function callOf(more: Partial<ToolCall> = {}): ToolCall {
  return { name: 'Bash', at: START, about: 'ls', input: clip('ls', 100), outcome: 'ok', ...more };
}

export function messageOf(more: Partial<StoryMessage> = {}): StoryMessage {
  return {
    at: START,
    from: 'user',
    to: ['team-lead'],
    toAll: false,
    kind: 'message',
    type: 'message',
    text: clip('Go.', 100),
    ...more,
  };
}

/** A team of so many that works for so long: everything that a page can show is in it. */
export function busyStory({ members: count, length }: { readonly members: number; readonly length: number }): Story {
  const names = Array.from({ length: count }, (_, index) => (index === 0 ? 'team-lead' : `member-${index}`));
  const part = (index: number, of: number) => START + (length * index) / of;
  const members = names.map((name, index) => busyMember(name, index, { count, length, part }));
  return emptyStory({
    endedAt: START + length,
    state: 'archived',
    template: 'feature',
    archive: '/home/you/.troupe/archive/red',
    result: clip('All is done.\n\n- One\n- Two', 1000),
    members,
    tasks: names.map((name, index) => ({
      id: String(index + 1),
      subject: `What ${name} does`,
      description: clip('Read, think, write.', 100),
      status: index % 3 === 0 ? 'completed' : index % 3 === 1 ? 'in_progress' : 'pending',
      owner: name,
      blockedBy: index === 0 ? [] : [String(index)],
    })),
    messages: firstAndLastOf(
      Array.from({ length: 3 * count }, (_, index) => busyMessage(names, index, part(index + 1, 3 * count + 2))),
      100,
      700,
    ),
    requests: names.flatMap((from, index) => [
      {
        id: `plan-${index}`,
        kind: 'plan' as const,
        from,
        at: part(index + 2, count + 8),
        text: clip('# Plan\n\n1. Dig.', 100),
        ...(index % 3 !== 2 && {
          answer: {
            at: part(index + 3, count + 8),
            by: 'team-lead',
            approve: index % 3 === 0,
            words: 'Well.',
            rules: [],
          },
        }),
      },
      {
        id: `permission-${index}`,
        kind: 'permission' as const,
        from,
        at: part(index + 5, count + 8),
        tool: 'Bash',
        text: clip('touch x', 100),
        answer: { at: part(index + 6, count + 8), by: 'user', approve: index % 2 === 0, rules: [] },
      },
    ]),
    denials: firstAndLastOf(
      [{ at: part(1, 3), member: 'team-lead', tool: 'Bash', about: 'rm x', because: 'No rule.' }],
      1,
      1,
    ),
    events: firstAndLastOf(
      names.map((member) => ({ at: START, type: 'spawned', member, rest: clip('generation=1', 100) })),
      10,
      10,
    ),
    missing: ['3 tool calls of member-1; all of them are in /somewhere.'],
  });
}

function busyMember(
  name: string,
  index: number,
  { count, length, part }: { count: number; length: number; part: (index: number, of: number) => number },
): StoryMember {
  const turns = [0, 1, 2, 3].map((turn) => {
    const from = part(turn * count + index, 4 * count + 2);
    return { from, to: from + (length * (2 + (index % 3))) / 30 };
  });
  const calls = turns.map(({ from }, turn) =>
    callOf({
      at: from,
      outcome: turn === 3 ? 'failed' : 'ok',
      result: clip('done', 10),
      ms: length / 40,
      about: `step ${turn} of ${name}`,
    }),
  );
  const talk: Talk = {
    ...NO_TALK,
    turns,
    calls: firstAndLastOf(calls, 10, 10),
    failed: 1,
    taskChanges: [
      { task: String(index + 1), at: part(index + 1, count + 3), status: 'in_progress' },
      { task: String(index + 1), at: part(index + 3, count + 5), status: 'completed' },
    ],
  };
  const agentTurn = { from: part(index + 1, count + 4), to: part(index + 2, count + 4) };
  return memberOf(name, {
    agentType: 'general-purpose',
    color: COLORS[index % COLORS.length],
    turns: 4,
    models: { 'claude-opus-5-5': SPENT, ...(index % 2 === 1 && { 'claude-haiku-4-5': SPENT }) },
    lives: [{ from: START, to: START + length }],
    deaths: index === 3 ? [START + length * 0.9] : [],
    talk,
    lastReport: clip(`${name} has dug.`, 100),
    agents:
      index % 4 === 1
        ? [
            {
              id: `agent-${index}`,
              agentType: 'Explore',
              description: 'Look around',
              model: 'claude-haiku-4-5',
              status: 'completed',
              startedAt: agentTurn.from,
              endedAt: agentTurn.to,
              depth: 1,
              talk: { ...NO_TALK, turns: [agentTurn] },
            },
          ]
        : [],
  });
}

function busyMessage(names: readonly string[], index: number, at: number): StoryMessage {
  const name = (place: number) => names[place % names.length] ?? 'team-lead';
  if (index === 0) return messageOf({ at });
  if (index % 9 === 4) return messageOf({ at, from: 'team-lead', to: names.slice(1), toAll: true, summary: 'to all' });
  return messageOf({
    at,
    from: name(index),
    to: [index % 2 === 0 ? 'team-lead' : name(index + 1)],
    kind: index % 2 === 0 ? 'report' : 'message',
    text: clip(`Word ${index} of it.`, 100),
  });
}
