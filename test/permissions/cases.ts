import type { Access } from '../../src/permissions/access.js';
import { type JudgeContext, type Judged, judge, type Rules } from '../../src/permissions/judge.js';
import type { PermissionMode } from '../../src/permissions/mode.js';
import { parseRule } from '../../src/permissions/rule.js';
import { loadShell } from '../../src/permissions/shell/load.js';

/** The rules of a case, as a person would write them. */
export interface Given {
  readonly mode?: PermissionMode;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

export function contextOf({ mode = 'default', allow = [], ask = [], deny = [] }: Given = {}): JudgeContext {
  const parsed = (texts: readonly string[]) => texts.map((text) => parseRule(text, '/project'));
  const rules: Rules = { allow: parsed(allow), ask: parsed(ask), deny: parsed(deny) };
  return {
    mode,
    rules,
    cwd: '/project/app',
    folders: ['/project/app', '/extra'],
    protectedRoots: ['/home/u/.troupe'],
    allowedPaths: [
      { path: '/shared', toolName: 'Edit' },
      { path: '/docs', toolName: 'Read' },
    ],
    ownFolders: ['/project/app/.claude/agent-memory/me'],
    home: '/home/u',
  };
}

const READERS = ['Read', 'Grep', 'Glob', 'WebFetch'];

export function call(name: string, access: Access, isCoordination = false): Judged {
  return { tool: { name, isReadOnly: READERS.includes(name), isCoordination }, access };
}

const readShell = await loadShell();

/** A call of Bash. `links`: where absolute paths really lead. */
export function bash(command: string, links: Readonly<Record<string, string>> = {}): Judged {
  const access: Access = { kind: 'shell', command, realPathOf: (path) => links[path] ?? path };
  const script = readShell(command, { cwd: '/project/app', home: '/home/u' });
  return { ...call('Bash', access), script, input: { command } };
}
export const read = (...paths: string[]) => call('Read', { kind: 'read', paths });
export const grep = (...paths: string[]) => call('Grep', { kind: 'read', paths });
export const write = (...paths: string[]) => call('Write', { kind: 'write', paths });
export const edit = (...paths: string[]) => call('Edit', { kind: 'write', paths });
export const other = (name: string, specifier?: string) =>
  call(name, { kind: 'other', ...(specifier !== undefined && { specifier }) });

export const verdict = (judged: Judged, given: Given) => judge(judged, contextOf(given)).kind;
