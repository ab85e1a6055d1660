import { join } from 'node:path';
import type { Denial, MemberResult, RunResult } from '../../headless/result.js';
import { toApiUsage } from '../../headless/result.js';
import { openMailbox } from '../../mailbox/mailbox.js';
import { Message, parsePayload } from '../../mailbox/message.js';
import { modelFacts } from '../../model/catalogue.js';
import { addUsage, NO_USAGE, sumByModel } from '../../model/usage.js';
import { readRecords } from '../../store/jsonLines.js';
import { openTaskList } from '../../tasks/taskList.js';
import { openEventLog } from '../../team/eventLog.js';
import { LEAD } from '../../team/member.js';
import type { TeamPlace } from '../../team/messages.js';
import { liveRecord, type RunRecord, readRunRecord } from '../../team/runRecord.js';
import { openTeamFile } from '../../team/teamFile.js';
import { fileNameOf } from '../../util/names.js';

type Facts = Omit<RunResult, 'type' | 'subtype' | 'is_error' | 'result' | 'errors' | 'worktrees'>;

/** What a result says besides how it ended, read from the team's files. */
export async function runFacts(
  place: TeamPlace,
  { sessionId, durationMs }: { sessionId: string; durationMs: number },
): Promise<Facts> {
  const { paths, clock } = place;
  const team = await openTeamFile(paths.config).require();
  const reports = await lastReports(place);
  const members: MemberResult[] = [];
  const records: RunRecord[] = [];
  for (const { name, worktreePath } of team.members) {
    const record = await readRunRecord(paths.runRecord(name));
    if (!record) continue;
    records.push(record);
    const { state, turns, tokens, costUsd } = await liveRecord(record);
    const { activity } = record;
    const lastReport = reports.get(name);
    members.push({
      name,
      state,
      turns,
      usage: toApiUsage(tokens),
      costUsd,
      ...(activity !== undefined && { activity }),
      ...(worktreePath && { worktree: worktreePath }),
      ...(lastReport !== undefined && { lastReport }),
    });
  }
  const events = await openEventLog(paths.events, clock).readWhole();
  return {
    session_id: sessionId,
    team: team.name,
    num_turns: members.find(({ name }) => name === LEAD)?.turns ?? 0,
    duration_ms: Math.round(durationMs),
    duration_api_ms: Math.round(records.reduce((sum, { apiMs = 0 }) => sum + apiMs, 0)),
    total_cost_usd: records.reduce((sum, { costUsd }) => sum + costUsd, 0),
    usage: toApiUsage(records.reduce((sum, { tokens }) => addUsage(sum, tokens), NO_USAGE)),
    modelUsage: modelUsageOf(records),
    permission_denials: events
      .filter(({ type }) => type === 'tool_denied')
      .map(
        (event): Denial => ({
          tool_name: String(event['tool_name']),
          tool_use_id: String(event['tool_use_id']),
          tool_input: event['tool_input'],
          member: event.member ?? LEAD,
        }),
      ),
    members,
    tasks: (await openTaskList(paths.tasks).list()).map(({ id, subject, status, owner }) => ({
      id,
      subject,
      status,
      ...(owner !== undefined && { owner }),
    })),
  };
}

/** The text with which each teammate ended its last turn. */
async function lastReports({ paths, clock, ids }: TeamPlace): Promise<Map<string, string>> {
  const reports = new Map<string, string>();
  // What the lead has read long ago is in the log beside its inbox.
  const { records: earlier } = await readRecords(join(paths.inboxes, `${fileNameOf(LEAD)}.log.jsonl`), Message);
  const inbox = await openMailbox({ team: paths, member: LEAD, clock, ids }).peek();
  for (const message of [...earlier, ...inbox]) {
    const parsed = message.type === 'idle_notification' ? parsePayload(message) : undefined;
    if (parsed && 'type' in parsed && parsed.type === 'idle_notification' && parsed.payload.result !== undefined)
      reports.set(message.from, parsed.payload.result);
  }
  return reports;
}

function modelUsageOf(records: readonly RunRecord[]): RunResult['modelUsage'] {
  const sums = sumByModel(records.map(({ models = {} }) => models));
  return Object.fromEntries(
    [...sums].map(([model, { input, output, cacheRead, cacheWrite, webSearches = 0, costUsd }]) => [
      model,
      {
        inputTokens: input,
        outputTokens: output,
        cacheReadInputTokens: cacheRead,
        cacheCreationInputTokens: cacheWrite,
        webSearchRequests: webSearches,
        costUSD: costUsd,
        contextWindow: modelFacts(model).contextWindow,
      },
    ]),
  );
}
