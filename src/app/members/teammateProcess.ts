import type { AgentEvent } from '../../agent/events.js';
import { environment, variable } from '../../config/env.js';
import { homeAt } from '../../config/paths.js';
import { onEndSignals } from '../../host/signals.js';
import { LAUNCH_VARIABLE } from '../../panes/backend.js';
import { sendProse, sendProtocol } from '../../team/messages.js';
import { takeLaunch } from '../../team/start/launch.js';
import { openTeamFile } from '../../team/teamFile.js';
import { linesOf } from '../../tui/paneRenderer.js';
import { openPrompt, type Prompt } from '../../tui/prompt.js';
import { Shown, shown } from '../../tui/shown.js';
import { theme, wantsColor } from '../../tui/theme.js';
import { messageOf } from '../../util/errors.js';
import { placeOf, startEngine, type World } from '../services.js';
import { becomeLaunched } from '../session/paneEnvironment.js';
import { runTeammate, type TeammateScreen } from './teammate.js';

/** A teammate in a pane of its own: `troupe teammate --launch FILE`. Resolves with its exit code. */
export async function runTeammateProcess(outer: World, launchFile: string): Promise<number> {
  const launch = becomeLaunched(await takeLaunch(launchFile, variable(LAUNCH_VARIABLE)));
  const world = { ...outer, home: homeAt(launch.home) };
  const end = new AbortController();
  const restore = onEndSignals((signal) => end.abort(signal));
  const engineEnd = new AbortController();
  const screen = paneScreen(world);
  const engine = startEngine(world.clock, engineEnd.signal, (error) => screen.say(messageOf(error)));
  try {
    return await runTeammate({ world, engine, launch, screen, signal: end.signal });
  } finally {
    restore();
    engineEnd.abort();
    screen.close();
  }
}

/** Shows what the member does; what is typed is sent to it as the user's message. */
function paneScreen(world: World): TeammateScreen & { close(): void } {
  let prompt: Prompt | undefined;
  const look = theme(wantsColor(environment(), true));
  const say = (line: Shown) => prompt?.print(line);
  return {
    open({ team, member, color, model, mode }) {
      const place = placeOf(world, team);
      prompt = openPrompt(shown`${look.member(member, color)}> `, {
        onLine(line) {
          if (line.trim() === '') return;
          const sending = openTeamFile(place.paths.config)
            .require()
            .then((file) => sendProse(place, file, { from: 'user' }, { to: member, text: line }));
          sending.catch((error: unknown) => say(look.warn(messageOf(error))));
        },
        onInterrupt() {
          sendProtocol(place, { from: 'user' }, member, 'interrupt', {}).catch((error: unknown) =>
            say(look.warn(messageOf(error))),
          );
          say(look.dim(`Its turn ends, if it has one. troupe shutdown ${member} ends the member itself.`));
        },
        // A pane without a keyboard is a member all the same.
        onEnd: () => {},
      });
      say(look.dim(`${member} of ${team} · ${model} · ${mode}`));
    },
    event(event: AgentEvent) {
      for (const line of linesOf(event)) say(new Shown(line));
    },
    waits: (description) => say(look.warn(`waits at the lead for a permission: ${description}`)),
    say: (line) => say(look.dim(line)),
    close: () => prompt?.close(),
  };
}
