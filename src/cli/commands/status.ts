import type { Command } from 'commander';
import { type MemberStatus, statusOf, type TeamStatus } from '../../app/look/status.js';
import { chooseTeam } from '../../app/look/teams.js';
import { theWorld } from '../../app/services.js';
import { oneLine } from '../../util/text.js';
import { createOutput, table } from '../output.js';
import { examples, oneTeam, type TeamOptions, withJson, withTeam } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('status [team]')))
    .summary("show a team's members and what they do")
    .description(
      "Show a team's members: state, activity, pane, model, tokens, cost. True at the moment of asking, lead or no lead.",
    )
    .option('-q, --quiet', "one short line, for tmux's own status bar")
    .addHelpText(
      'after',
      examples('troupe status', 'troupe status -t feature --json', 'tmux set -g status-right "#(troupe status -q)"'),
    )
    .action(async (name: string | undefined, { team, json, quiet }: TeamOptions & { quiet?: boolean }) => {
      const world = theWorld();
      const status = await statusOf(world, await chooseTeam(world, oneTeam(name, team)));
      createOutput({ json }).data(status, quiet ? short(status) : await long(status, world.clock.now()));
    });
}

function short({ team, members, tasks }: TeamStatus): string {
  const count = (state: string) => members.filter((member) => member.state === state).length;
  return `${team}: ${count('working')} working, ${count('idle')} idle, ${tasks.completed}/${tasks.completed + tasks.pending + tasks.in_progress} tasks`;
}

async function long({ team, state, lead, members, tasks }: TeamStatus, now: number): Promise<string> {
  const head = ['member', 'state', 'activity', 'where', 'model', 'mode', 'turns', 'tokens', 'cost', 'seen'];
  const leadFirst = members.toSorted((a, b) => Number(b.name === lead.name) - Number(a.name === lead.name));
  const rows = leadFirst.map((member) => [
    member.name,
    stateOf(member),
    member.questions?.[0] === undefined ? (member.activity ?? '') : oneLine(member.questions[0], 60),
    member.hidden ? `${member.pane} hidden` : (member.pane ?? ''),
    member.model.replace(/^claude-/, ''),
    member.mode,
    String(member.turns ?? 0),
    tokensOf(member),
    `$${(member.costUsd ?? 0).toFixed(3)}`,
    member.heartbeat === undefined ? '' : `${Math.max(0, Math.round((now - member.heartbeat) / 1000))} s ago`,
  ]);
  return `${team}: ${state}\n${await table([head, ...rows])}\ntasks: ${tasks.pending} pending, ${tasks.in_progress} in progress, ${tasks.completed} completed`;
}

function stateOf({ state, waitingFor, exit }: MemberStatus): string {
  if (waitingFor) return `waits for ${waitingFor}`;
  const how = exit ? (exit.signal ?? exit.code) : undefined;
  return how === undefined || how === null ? state : `${state} (${how})`;
}

function tokensOf({ tokens }: MemberStatus): string {
  if (!tokens) return '0';
  const all = tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite;
  return all < 10_000 ? String(all) : `${Math.round(all / 1000)}k`;
}
