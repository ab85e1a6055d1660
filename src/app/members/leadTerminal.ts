import { PermissionMode } from '../../permissions/mode.js';
import { decidePermission, decidePlan } from '../../team/decide.js';
import { setMemberMode } from '../../team/leadMode.js';
import { LEAD } from '../../team/member.js';
import { sendProse, sendProtocol } from '../../team/messages.js';
import { openRequests } from '../../team/requests.js';
import { openTeamFile } from '../../team/teamFile.js';
import { UserError } from '../../util/errors.js';
import { oneLine } from '../../util/text.js';
import { interruptMember } from '../end/interruptMember.js';
import { shutdownMembers } from '../end/shutdown.js';
import { openPermission, requestLines } from '../look/decisions.js';
import { statusOf } from '../look/status.js';
import { placeOf, type World } from '../services.js';
import { createQuestions } from '../session/questions.js';
import type { Conversation } from './conversation.js';
import type { LeadView } from './lead.js';
import { openTerminal, type Terminal } from './terminal.js';

export interface LeadTerminal {
  readonly view: LeadView;
  readonly terminal: Terminal;
}

export interface LeadTerminalOptions {
  readonly world: World;
  readonly team: string;
  readonly color: string | undefined;
  /** Ends the lead's current turn; false when there is none. */
  readonly interrupt: () => boolean;
  /** What the lead waits for goes on in the background. */
  readonly toBackground: () => Promise<string>;
  /** The person wants the team to end, or the terminal is gone. */
  readonly onEnd: () => void;
}

/** The lead's person at a terminal. */
export function openLeadTerminal({
  world,
  team,
  color,
  interrupt,
  toBackground,
  onEnd,
}: LeadTerminalOptions): LeadTerminal {
  const place = placeOf(world, team);
  const file = openTeamFile(place.paths.config);
  const user = { from: 'user' };
  const told = async (to: string, text: string) => {
    const { delivered, failed } = await sendProse(place, await file.require(), user, { to, text });
    return [
      ...delivered.filter(({ alive }) => !alive).map(({ name }) => `${name} is not running`),
      ...failed.map(({ name, because }) => `${name}: ${because}`),
    ].join('; ');
  };
  const interrupted = () =>
    interrupt() ? 'Interrupted. Members go on; /down ends the team.' : 'Nothing to interrupt. /down ends the team.';

  const questions = createQuestions({
    show: (question) => terminal.question(question),
    withdraw: ({ id }) => terminal.say(`Question ${id} waits no longer.`),
  });

  // Members may take their time to end.
  const endTeam = () => {
    terminal.say('Taking the team down.');
    onEnd();
  };

  const conversation: Conversation = {
    tell: (text) => told(LEAD, text),
    send: told,
    async plan(id, approve, feedback) {
      const request = await decidePlan(place, await file.require(), 'user', id, {
        approve,
        feedback: feedback || undefined,
      });
      return `${approve ? 'Approved' : 'Rejected'} the plan of ${request.from}.`;
    },
    async permission(id, { allow, always, reason }) {
      const request = await decidePermission(place, await file.require(), id, {
        allow,
        always,
        message: reason || undefined,
      });
      return `${allow ? 'Allowed' : 'Denied'} ${request.from}: ${oneLine(request.description ?? '', 120)}`;
    },
    answer: async (id, choice) => questions.answer(id, choice),
    async waiting() {
      const requests = await openRequests(place.paths.requests, place.clock).open();
      const lines = [
        ...requests.map(
          ({ id, kind, from, description = '' }) => `${id.slice(0, 8)} ${kind} of ${from} ${oneLine(description, 100)}`,
        ),
        ...questions.open().map(({ id, question }) => `${id} question of ${LEAD} ${oneLine(question, 100)}`),
      ];
      return lines.join('\n') || 'Nothing waits for you.';
    },
    show: async (id) => requestLines(await openPermission(world, team, id), true).join('\n'),
    async status() {
      const { members, tasks } = await statusOf(world, await file.require());
      const rows = members.map(({ name, state, waitingFor, activity = '' }) =>
        `${name}: ${waitingFor ? `waits for ${waitingFor}` : state} ${activity}`.trim(),
      );
      return [
        ...rows,
        `tasks: ${tasks.pending} pending, ${tasks.in_progress} in progress, ${tasks.completed} completed`,
      ].join('\n');
    },
    async dashboard() {
      const { dashboard } = await import('../look/dashboard.js');
      await terminal.lend(async (signal) => void (await dashboard(world, { team, signal })));
      return '';
    },
    async shutdown(name) {
      const [outcome] = await shutdownMembers(world, {
        team,
        members: [name],
        all: false,
        force: false,
        graceMs: 20_000,
      });
      return outcome ? `${outcome.name}: ${outcome.how}` : '';
    },
    async mode(name, member) {
      const mode = PermissionMode.safeParse(name);
      if (!mode.success) throw new UserError(`There is no mode "${name}". Modes: ${PermissionMode.options.join(', ')}`);
      const { settings } = await file.require();
      if (settings?.disabledModes?.includes(mode.data))
        throw new UserError(`Mode ${mode.data} is switched off in the settings.`);
      if (member === '') {
        await sendProtocol(place, user, LEAD, 'mode_set', { mode: mode.data });
        return `Mode ${mode.data} from now on.`;
      }
      return setMemberMode(place, await file.require(), member, mode.data);
    },
    async interrupt(member) {
      if (member === '') return interrupted();
      const { name, how } = await interruptMember(world, team, member);
      return how === 'nothing' ? `${name} has no turn to end.` : `${name} is interrupted.`;
    },
    background: toBackground,
    async skill(name, line) {
      const { isTypedSkill } = await import('../knowledge/skills.js');
      return (await isTypedSkill(world.home, await file.require(), name)) ? told(LEAD, line) : undefined;
    },
    async down() {
      endTeam();
      return '';
    },
  };
  const terminal = openTerminal({ name: 'lead', color, conversation, onInterrupt: interrupted, onEnd: endTeam });
  const view: LeadView = {
    event: (event) => terminal.event(event),
    note: (line) => terminal.say(line),
    ask: (question, signal) => questions.ask(question, signal),
    members: () => {},
    statusLine: (lines) => terminal.status(lines),
    card(request) {
      file.require().then(
        ({ members }) => terminal.card(request, members.find(({ name }) => name === request.from)?.color),
        () => terminal.card(request, undefined),
      );
    },
  };
  return { view, terminal };
}
