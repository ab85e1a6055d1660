import { type LeadScreen, unattendedDecision } from '../../lead/lead.js';
import { decidePlan } from '../../team/decide.js';
import { openTeamFile } from '../../team/teamFile.js';
import type { SessionParts } from '../session/sessionGround.js';
import { reopenPlan } from './reopen.js';

/**
 * For a lead that comes back: what waits for a person is shown again, or decided where nobody is there. The messages
 * that told of it may have been read by the lead before.
 */
export async function showOpenRequests(
  { launch, place, requests }: SessionParts,
  { view, unattended }: { readonly view: LeadScreen; readonly unattended?: { readonly approvePlans: boolean } },
): Promise<void> {
  await reopenPlan(requests, launch);
  const team = await openTeamFile(place.paths.config).require();
  for (const request of await requests.open()) {
    view.card(request);
    if (unattended && request.kind === 'plan' && (request.from === launch.member || team.approver === 'human'))
      await decidePlan(place, team, 'user', request.id, unattendedDecision(unattended));
  }
}
