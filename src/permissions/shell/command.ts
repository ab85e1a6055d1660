import { resolve } from 'node:path';
import type { Node } from 'web-tree-sitter';
import { type Redirected, readFileRedirect, readHeredoc, readHerestring } from './redirects.js';
import { type Assignment, isKnown, type Word } from './script.js';
import { type Flow, type Folders, stays, type Walk } from './walk.js';
import { isWord, readWord } from './words.js';

/** Words that begin something other than a command where a command could begin. */
const RESERVED = new Set(
  '! { } [[ ]] if then else elif fi case esac for select while until do done in function coproc'.split(' '),
);
/** After these the shell may be anywhere, or names may mean something else. */
const MOVES = new Set('pushd popd source . eval alias shopt enable hash'.split(' '));
const IN_DISGUISE = new Set(['builtin', 'command']);

export function readCommand(
  node: Node,
  at: Folders,
  walk: Walk,
  more: Redirected = { words: [], redirects: [] },
): Flow {
  const words: Word[] = [];
  const assignments: Assignment[] = [];
  const redirects = [...more.redirects];
  const fed = [...(more.fed ?? [])];
  let end = -1;
  for (const child of node.children) {
    const inner = child.type === 'command_name' ? child.children[0] : child;
    if (child.type === 'variable_assignment') assignments.push(readAssignment(child, false, walk));
    else if (child.type === 'file_redirect') {
      const one = readFileRedirect(child, walk);
      redirects.push(...one.redirects);
      if (one.words.length > 0) walk.doubt();
    } else if (child.type === 'herestring_redirect') fed.push(readHerestring(child, walk));
    else if (inner && isWord(inner)) {
      if (child.startIndex === end || (words.length === 0 && RESERVED.has(inner.text))) walk.doubt();
      words.push(readWord(inner, walk));
    } else if (child.type === '$' && /^[ \n]$/.test(walk.source.charAt(child.startIndex - 1)) && isLast(child, walk)) {
      words.push({ text: '$' });
    } else {
      walk.doubt();
      walk.descend(child);
    }
    end = child.endIndex;
  }
  const all = [...words, ...more.words];
  if (all.length === 0 || timesMore(all)) walk.doubt();
  walk.add({ words: all, assignments, redirects, ...(fed.length > 0 && { fed }), folders: at });
  return moved(all, at, walk);
}

/** Whether a blank, or nothing, stands behind it. */
const isLast = ({ endIndex }: Node, { source }: Walk) => /^\s?$/.test(source.charAt(endIndex));

/** `time` is no program to bash: what stands behind it may be anything that can be a statement. */
function timesMore([program, ...rest]: readonly Word[]): boolean {
  const timed = rest.find(({ text }) => text !== '-p');
  return (
    program?.text === 'time' && (!timed || /^(time$|-|\w+(\[.*)?\+?=)/s.test(timed.text) || RESERVED.has(timed.text))
  );
}

function moved([program, ...rest]: readonly Word[], at: Folders, walk: Walk): Flow {
  if (program === undefined) return stays(at);
  const isMove = MOVES.has(program.text);
  if (isMove || (IN_DISGUISE.has(program.text) && rest.some(({ text }) => text === 'cd' || MOVES.has(text)))) {
    if (isMove || !/^-[vV]$/.test(rest[0]?.text ?? '')) walk.doubt();
  }
  if (program.text !== 'cd') return stays(at);
  const [target = { text: '~', isHome: true }, ...more] = rest[0]?.text === '--' ? rest.slice(1) : rest;
  if (more.length > 0 || /^[-+]|^$/.test(target.text) || !isKnown(target)) {
    walk.doubt();
    return stays(at);
  }
  if (target.isHome) return { yes: [resolve(walk.home, `.${target.text.slice(1)}`)], no: at };
  return { yes: walk.union(at.map((folder) => resolve(folder, target.text))), no: at };
}

function readAssignment(node: Node, isStatement: boolean, walk: Walk): Assignment {
  const [name, operator, value, ...more] = node.children;
  if (name?.type !== 'variable_name' || more.length > 0 || (value && !isWord(value))) {
    walk.doubt();
    walk.descend(node);
  }
  const word = value && isWord(value) ? readWord(value, walk) : { text: '' };
  if (word.isStream) walk.doubt();
  return { name: name?.text ?? '', word: { text: `${name?.text}${operator?.text}${word.text}` }, isStatement };
}

export function readAssignments(node: Node, at: Folders, walk: Walk): Flow {
  const nodes = node.type === 'variable_assignments' ? node.children : [node];
  walk.add({ assignments: nodes.map((one) => readAssignment(one, true, walk)), folders: at });
  return stays(at);
}

/** `export A=b`, `local x`, `unset y`: a command whose arguments may be assignments. */
export function readDeclaration(node: Node, at: Folders, walk: Walk): Flow {
  const words: Word[] = [];
  const assignments: Assignment[] = [];
  for (const child of node.children) {
    if (child.type === 'variable_assignment') {
      const one = readAssignment(child, true, walk);
      assignments.push(one);
      words.push(one.word);
    } else if (isWord(child)) words.push(readWord(child, walk));
    else if (!child.isNamed || child.type === 'variable_name') words.push({ text: child.text });
    else walk.doubt();
  }
  walk.add({ words, assignments, folders: at });
  return stays(at);
}

/** `[ … ]` and `[[ … ]]`, as the words of a command. */
export function readTest(node: Node, at: Folders, walk: Walk): Flow {
  const words: Word[] = [];
  const collect = (inner: Node): void => {
    for (const child of inner.children) {
      if (isWord(child)) words.push(readWord(child, walk));
      else if (!child.isNamed || child.type === 'test_operator') words.push({ text: child.text });
      else if (child.type === 'regex' || child.type === 'extglob_pattern') {
        if (/[`$\\'"]/.test(child.text)) walk.doubt();
        words.push({ text: child.text });
      } else if (/^(unary|binary|parenthesized)_expression$/.test(child.type)) collect(child);
      else {
        walk.doubt();
        walk.descend(child);
      }
    }
  };
  collect(node);
  walk.add({ words, folders: at });
  return stays(at);
}

/** A statement with redirects behind it, and what stands on its line behind `<<EOF`. */
export function readRedirected(node: Node, at: Folders, walk: Walk): Flow {
  const [first, ...others] = node.children;
  const body = first && !first.type.endsWith('_redirect') ? first : undefined;
  const words: Word[] = [];
  const redirects: Redirected['redirects'][number][] = [];
  const fed: Word[] = [];
  const behind: Node[] = [];
  let heredocs = 0;
  const read = (child: Node): void => {
    if (child.type === 'file_redirect') {
      const one = readFileRedirect(child, walk);
      words.push(...one.words);
      redirects.push(...one.redirects);
    } else if (child.type === 'herestring_redirect') fed.push(readHerestring(child, walk));
    else if (child.type === 'heredoc_redirect') {
      heredocs += 1;
      fed.push(readHeredoc(child, walk));
      for (const inner of child.children) {
        if (inner.type.endsWith('_redirect')) read(inner);
        else if (inner.isNamed && !inner.type.startsWith('heredoc_')) behind.push(inner);
        else if (!inner.isNamed && !['<<', '<<-', '&&', '||'].includes(inner.type)) walk.doubt();
      }
    } else walk.doubt();
  };
  for (const child of body ? others : node.children) read(child);
  if (heredocs > 1) walk.doubt();

  let flow = stays(at);
  if (body?.type === 'command') flow = readCommand(body, at, walk, { words, redirects, fed });
  else {
    if (words.length > 0) walk.doubt();
    if (body) flow = walk.statement(body, at);
    walk.add({ redirects, folders: at });
  }
  if (behind.length === 0) return flow;
  const folders = walk.union(at, flow.yes, flow.no);
  return stays(walk.union(folders, ...behind.flatMap((one) => Object.values(walk.statement(one, folders)))));
}
