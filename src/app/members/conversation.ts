import { UserError } from '../../util/errors.js';
import { didYouMean } from '../../util/text.js';

/** What a person can do from a member's prompt. Each returns a line to show, or nothing. */
export interface Conversation {
  /** Plain text goes to the member itself. */
  tell(text: string): Promise<string>;
  send(to: string, text: string): Promise<string>;
  plan(id: string, approve: boolean, feedback: string): Promise<string>;
  permission(id: string, answer: { allow: boolean; always: boolean; reason: string }): Promise<string>;
  /** Answers a question of the agent's. */
  answer(id: string, choice: string): Promise<string>;
  waiting(): Promise<string>;
  /** All of a permission request, of which a card may show the beginning. */
  show(id: string): Promise<string>;
  status(): Promise<string>;
  /** Shows the team full-screen until the person leaves that. */
  dashboard(): Promise<string>;
  shutdown(member: string): Promise<string>;
  /** Of the lead, or of the member that is named. */
  mode(name: string, member: string): Promise<string>;
  /** Ends the turn of the lead, or of the member that is named. */
  interrupt(member: string): Promise<string>;
  /** The agents that it waits for go on in the background. */
  background(): Promise<string>;
  /** Ends the team. */
  down(): Promise<string>;
  /** Asks for a skill by what was typed; nothing where there is none of that name. */
  skill?(name: string, line: string): Promise<string | undefined>;
}

type Act = (rest: string, conversation: Conversation) => Promise<string>;

const COMMANDS: Readonly<Record<string, { readonly usage: string; readonly what: string; readonly act: Act }>> = {
  help: { usage: '/help', what: 'this list', act: async () => HELP },
  status: { usage: '/status', what: 'the members and what they do', act: (_, c) => c.status() },
  dashboard: { usage: '/dashboard', what: 'the team full-screen; q comes back', act: (_, c) => c.dashboard() },
  answer: {
    usage: '/answer ID CHOICE',
    what: 'answer a question: options by number, or words',
    act: (rest, c) => twoWords(rest, (id, choice) => c.answer(id, choice)),
  },
  waiting: {
    usage: '/waiting',
    what: 'plans, permissions and questions that wait',
    act: (_, c) => c.waiting(),
  },
  show: {
    usage: '/show ID',
    what: 'all of what a permission is asked for',
    act: (rest, c) => twoWords(rest, (id) => c.show(id)),
  },
  send: {
    usage: '/send NAME TEXT',
    what: 'a message to a member, or to * for all',
    act: (rest, c) => twoWords(rest, (to, text) => c.send(to, text)),
  },
  approve: {
    usage: '/approve ID [feedback]',
    what: 'approve a plan',
    act: (rest, c) => twoWords(rest, (id, feedback) => c.plan(id, true, feedback)),
  },
  reject: {
    usage: '/reject ID feedback',
    what: 'reject a plan',
    act: (rest, c) => twoWords(rest, (id, feedback) => c.plan(id, false, feedback)),
  },
  allow: {
    usage: '/allow ID',
    what: 'allow a call once',
    act: (rest, c) => twoWords(rest, (id) => c.permission(id, { allow: true, always: false, reason: '' })),
  },
  always: {
    usage: '/always ID',
    what: 'allow such calls to the whole team',
    act: (rest, c) => twoWords(rest, (id) => c.permission(id, { allow: true, always: true, reason: '' })),
  },
  deny: {
    usage: '/deny ID [reason]',
    what: 'deny a call',
    act: (rest, c) => twoWords(rest, (id, reason) => c.permission(id, { allow: false, always: false, reason })),
  },
  shutdown: {
    usage: '/shutdown NAME',
    what: 'end a member',
    act: (rest, c) => twoWords(rest, (name) => c.shutdown(name)),
  },
  mode: {
    usage: '/mode NAME [MEMBER]',
    what: 'the permission mode of the lead, or of a member',
    act: (rest, c) => twoWords(rest, (name, member) => c.mode(name, member)),
  },
  interrupt: {
    usage: '/interrupt [MEMBER]',
    what: 'end a turn: of the lead (Esc, Ctrl-C) or a member',
    act: (rest, c) => c.interrupt(rest.trim()),
  },
  background: {
    usage: '/background',
    what: 'what is waited for goes on in the background',
    act: (_, c) => c.background(),
  },
  down: { usage: '/down', what: 'end the whole team', act: (_, c) => c.down() },
};

export const HELP = [
  'Plain text goes to the agent. Commands:',
  ...Object.values(COMMANDS).map(({ usage, what }) => `  ${usage.padEnd(24)} ${what}`),
].join('\n');

/** Does what a typed line says. @throws UserError for what cannot be done. */
export async function obey(line: string, conversation: Conversation): Promise<string> {
  const text = line.trim();
  if (text === '') return '';
  if (!text.startsWith('/')) return conversation.tell(text);
  const [, name = '', rest = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  const command = COMMANDS[name];
  const asked = command ? undefined : await conversation.skill?.(name, text);
  if (asked !== undefined) return asked;
  if (!command)
    throw new UserError(`There is no command /${name}.${didYouMean(name, Object.keys(COMMANDS))} See /help`);
  return command.act(rest, conversation);
}

async function twoWords(rest: string, act: (first: string, others: string) => Promise<string>): Promise<string> {
  const [, first = '', others = ''] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? [];
  if (first === '') throw new UserError('Something is missing behind the command. See /help');
  return act(first, others.trim());
}
