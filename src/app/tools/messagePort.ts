import { decidePlan } from '../../team/decide.js';
import { LEAD, requireMember } from '../../team/member.js';
import { type Sender, sendProse, sendProtocol, type TeamPlace } from '../../team/messages.js';
import { openTeamFile } from '../../team/teamFile.js';
import type { MessagePort } from '../../tools/sendMessage.js';
import { UserError } from '../../util/errors.js';
import { isSameName } from '../../util/names.js';

export interface MessagePortDeps {
  readonly place: TeamPlace;
  readonly sender: Sender;
  /** What a teammate has besides: its own shutdown to answer, and the lead to tell. */
  readonly teammate?: {
    toldLead(): void;
    answerShutdown(requestId: string, approve: boolean, reason: string | undefined): Promise<string>;
  };
}

/** SendMessage in one member's name. */
export function createMessagePort({ place, sender, teammate }: MessagePortDeps): MessagePort {
  const team = () => openTeamFile(place.paths.config).require();
  return {
    async prose(to, text, summary) {
      const { msg_id, delivered, failed } = await sendProse(place, await team(), sender, { to, text, summary });
      if (delivered.some(({ name }) => isSameName(name, LEAD))) teammate?.toldLead();
      const rows = delivered.map(
        ({ name, alive, ahead }) =>
          `${name}${alive ? '' : ' (not running: reads it when it is started again)'}${ahead > 0 ? ` (${ahead} ahead)` : ''}`,
      );
      return [
        `Sent as ${msg_id} to ${rows.join(', ') || 'nobody: there is no other member'}.`,
        ...failed.map(({ name, because }) => `Not delivered to ${name}: ${because}`),
      ].join('\n');
    },
    async shutdownRequest(to, reason) {
      if (sender.from !== LEAD) throw new UserError('Only the lead asks members to shut down.');
      const { name } = requireMember(await team(), to);
      if (name === LEAD) throw new UserError('The lead is ended by the user, with troupe down.');
      const request_id = place.ids.uuid();
      await sendProtocol(place, sender, name, 'shutdown_request', { request_id, ...(reason && { reason }) });
      return `Asked ${name} to shut down (request_id ${request_id}). Its answer, or its end, arrives as a message.`;
    },
    async shutdownResponse(requestId, approve, reason) {
      if (!teammate) throw new UserError('A lead is not asked to shut down.');
      return teammate.answerShutdown(requestId, approve, reason);
    },
    async planResponse(requestId, approve, feedback) {
      if (sender.from !== LEAD) throw new UserError('Only the lead or the user decides on plans.');
      const current = await team();
      const { from } = await decidePlan(place, current, LEAD, requestId, { approve, feedback });
      return `${approve ? 'Approved' : 'Rejected'} the plan of ${from}; the answer is on its way.`;
    },
  };
}
