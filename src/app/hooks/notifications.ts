import type { AgentEvent } from '../../agent/events.js';
import type { Clock } from '../../host/clock.js';
import { oneLine } from '../../util/text.js';
import type { HookedAgent, SessionHooks } from './sessionHooks.js';

/** How long nothing is asked of a lead until its person is told that it waits. */
const IDLE_MS = 60_000;

export interface NotificationsDeps {
  readonly hooks: SessionHooks;
  readonly clock: Clock;
  /** Whether a person sits at it. */
  readonly hasPerson: boolean;
  readonly isWorking: () => boolean;
  readonly signal: AbortSignal;
}

/** Tells hooks that the person should look, without waiting for them. */
export function notify(hooks: SessionHooks, agent: HookedAgent, kind: string, message: string): void {
  void hooks.fire(agent, { event: 'Notification', subject: kind, fields: { message, notification_type: kind } });
}

/** Hears what happens to a member, and notifies of what its person may be waiting for. */
export function createNotifications({ hooks, clock, hasPerson, isWorking, signal }: NotificationsDeps) {
  let turns = 0;
  return (event: AgentEvent): void => {
    if (!hooks.concern(hooks.main())) return;
    if (event.type === 'task_notification' && event.task.backgrounded)
      notify(hooks, hooks.main(), 'agent_completed', `${oneLine(event.task.description)}: ${event.task.status}`);
    if (event.type !== 'turn_ended' || !hasPerson) return;
    const turn = ++turns;
    clock.sleep(IDLE_MS, signal).then(
      () => {
        if (turn === turns && !isWorking()) notify(hooks, hooks.main(), 'idle_prompt', 'The lead waits for you.');
      },
      () => {},
    );
  };
}
