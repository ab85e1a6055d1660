import type { Command } from 'commander';

/** A command's module: puts the command onto the program. */
export interface CommandModule {
  register(program: Command): void;
}

export interface CommandEntry {
  readonly summary: string;
  readonly arguments: string;
  /** Not for people: what panes and tests run. */
  readonly hidden?: boolean;
  load(): Promise<CommandModule>;
}

const table = {
  up: { arguments: '[template] [prompt...]', summary: 'create a team and attach to it', load: () => import('./up.js') },
  run: {
    arguments: '[template] [prompt...]',
    summary: 'run a team without a terminal until the work is done',
    load: () => import('./run.js'),
  },
  add: { arguments: '<name>', summary: 'start one more teammate', load: () => import('./add.js') },
  restart: {
    arguments: '<member>',
    summary: 'end a member and start it again from its transcript',
    load: () => import('./restart.js'),
  },
  resume: {
    arguments: '[team]',
    summary: 'go on with a team that was stopped, has crashed or is archived',
    load: () => import('./resume.js'),
  },
  attach: { arguments: '[member]', summary: "show the team's panes", load: () => import('./attach.js') },
  hide: { arguments: '[member...]', summary: "put members' panes away", load: () => import('./hide.js') },
  show: { arguments: '[member...]', summary: "bring members' panes back", load: () => import('./show.js') },
  ls: { arguments: '', summary: 'list the teams', load: () => import('./ls.js') },
  status: { arguments: '[team]', summary: "show a team's members and what they do", load: () => import('./status.js') },
  dashboard: {
    arguments: '[team]',
    summary: 'watch a team full-screen, and decide on what waits',
    load: () => import('./dashboard.js'),
  },
  peek: { arguments: '<member>', summary: 'show the last lines of a member', load: () => import('./peek.js') },
  send: {
    arguments: '<to> [text...]',
    summary: 'send a message to a member, to the lead or to all (*)',
    load: () => import('./send.js'),
  },
  inbox: { arguments: '[member]', summary: "show a member's messages", load: () => import('./inbox.js') },
  tasks: { arguments: '', summary: 'show and change the shared task list', load: () => import('./tasks.js') },
  plans: { arguments: '', summary: 'list the plans that wait for approval', load: () => import('./plans.js') },
  approve: { arguments: '<id>', summary: 'approve a plan', load: () => import('./approve.js') },
  reject: { arguments: '<id>', summary: 'reject a plan, with feedback', load: () => import('./reject.js') },
  permissions: {
    arguments: '',
    summary: 'list the permission requests that wait',
    load: () => import('./permissions.js'),
  },
  allow: { arguments: '<id>', summary: 'allow what was asked for', load: () => import('./allow.js') },
  deny: { arguments: '<id>', summary: 'deny what was asked for', load: () => import('./deny.js') },
  wait: {
    arguments: '[member...]',
    summary: 'wait until members are idle, done, dead or blocked',
    load: () => import('./wait.js'),
  },
  interrupt: {
    arguments: '<member>',
    summary: "end a member's current turn",
    load: () => import('./interrupt.js'),
  },
  shutdown: {
    arguments: '[member...]',
    summary: 'ask members to end, then end them',
    load: () => import('./shutdown.js'),
  },
  down: { arguments: '[team]', summary: 'end a whole team and archive it', load: () => import('./down.js') },
  gc: {
    arguments: '',
    summary: 'clear away what teams have left behind',
    load: () => import('./gc.js'),
  },
  diff: {
    arguments: '[member]',
    summary: "show what members' worktrees have changed",
    load: () => import('./diff.js'),
  },
  merge: {
    arguments: '<member>',
    summary: "merge a member's work into the current branch",
    load: () => import('./merge.js'),
  },
  worktrees: {
    arguments: '',
    summary: 'list the worktrees of teams and what each holds',
    load: () => import('./worktrees.js'),
  },
  costs: {
    arguments: '[team]',
    summary: 'show tokens and money by member and model',
    load: () => import('./costs.js'),
  },
  report: {
    arguments: '[team]',
    summary: 'write a run down as one page to look at',
    load: () => import('./report.js'),
  },
  logs: { arguments: '[team]', summary: "show a team's event log", load: () => import('./logs.js') },
  trust: {
    arguments: '[dir]',
    summary: "let a folder's own settings and templates open doors",
    load: () => import('./trust.js'),
  },
  agents: { arguments: '', summary: 'list the agent definitions', load: () => import('./agents.js') },
  mcp: { arguments: '', summary: 'list the MCP servers and their tools', load: () => import('./mcp.js') },
  skills: { arguments: '', summary: 'list the skills', load: () => import('./skills.js') },
  templates: { arguments: '', summary: 'list the team templates', load: () => import('./templates.js') },
  doctor: { arguments: '', summary: 'look for what is missing or left over', load: () => import('./doctor.js') },
  demo: { arguments: '', summary: 'see a team at work, without a key or a network', load: () => import('./demo.js') },
  'model-server': {
    arguments: '',
    summary: 'serve the Messages API from a script',
    load: () => import('./modelServer.js'),
  },
  completion: {
    arguments: '<shell>',
    summary: 'print a completion script for bash, zsh or fish',
    load: () => import('./completion.js'),
  },
  lead: { arguments: '', summary: 'run a lead in its pane', hidden: true, load: () => import('./lead.js') },
  teammate: { arguments: '', summary: 'run a teammate in its pane', hidden: true, load: () => import('./teammate.js') },
  'send-many': {
    arguments: '<to> <count>',
    summary: 'send numbered messages',
    hidden: true,
    load: () => import('./sendMany.js'),
  },
  'read-inbox': {
    arguments: '<member>',
    summary: 'read an inbox as its owner',
    hidden: true,
    load: () => import('./readInbox.js'),
  },
} satisfies Readonly<Record<string, CommandEntry>>;

export type CommandName = keyof typeof table;

/** Every command. Only the one that was asked for is loaded. */
export const COMMANDS: Readonly<Record<CommandName, CommandEntry>> = table;
