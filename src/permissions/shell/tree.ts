import type { Node } from 'web-tree-sitter';
import { readAssignments, readCommand, readDeclaration, readRedirected, readTest } from './command.js';
import { readFileRedirect } from './redirects.js';
import type { Part, Script } from './script.js';
import {
  checkComment,
  checkToken,
  type Flow,
  type Folders,
  type Place,
  readSettled,
  stays,
  type Walk,
} from './walk.js';
import { isWord, readWord } from './words.js';

type Reader = (node: Node, at: Folders, walk: Walk) => Flow;

const MOST_FOLDERS = 8;

/**
 * The commands of a syntax tree. The grammar guesses where it does not know, so only kinds of nodes that are known
 * here count as understood, and each text in them is looked at again.
 */
export function readTree(root: Node, source: string, { cwd, home }: Place): Pick<Script, 'parts' | 'isUnderstood'> {
  const parts: Part[] = [];
  let isUnderstood = !root.hasError && hasBlankGaps(root, source);
  let here: Folders = [cwd];
  const walk: Walk = {
    source,
    home,
    doubt() {
      isUnderstood = false;
    },
    add: (part) => parts.push({ words: [], assignments: [], redirects: [], ...part }),
    descend(node) {
      for (const child of node.children) {
        if (Object.hasOwn(READERS, child.type)) walk.statement(child, here);
        else walk.descend(child);
      }
    },
    substitution(node) {
      // Within backquotes a backslash is read twice; `$((` is arithmetic to bash, until it turns out not to be.
      if (/^(`.*\\|\$\(\()/s.test(node.text)) walk.doubt();
      readInside(node, here, ['$(', '`', '<(', '>(', ')'], walk);
    },
    statement(node, at) {
      const before = here;
      here = at;
      const flow = (READERS[node.type] ?? readUnknown)(node, at, walk);
      here = before;
      return flow;
    },
    union(...all) {
      const folders = [...new Set(all.flat())];
      if (folders.length > MOST_FOLDERS) walk.doubt();
      return folders.slice(0, MOST_FOLDERS);
    },
  };
  readInside(root, here, [], walk);
  return { parts, isUnderstood };
}

/** Whether there is nothing between the words of the tree but blanks: what the grammar skips is not understood. */
function hasBlankGaps(node: Node, source: string): boolean {
  if (['string', 'heredoc_body'].includes(node.type))
    return node.children.every((child) => hasBlankGaps(child, source));
  if (node.childCount === 0) return true;
  let from = node.startIndex;
  for (const child of node.children) {
    if (!isBlank(source, from, child.startIndex) || !hasBlankGaps(child, source)) return false;
    from = child.endIndex;
  }
  return isBlank(source, from, node.endIndex);
}

/** A backslash before the end of a line joins the words around it, unless there is a blank between them. */
const isBlank = (source: string, from: number, to: number): boolean =>
  /^(?:[ \t\n]|(?<=[ \t])\\\n)*$/.test(source.slice(from, to));

/** Statements one after the other between these tokens; where the shell may be behind them. */
function readInside(node: Node, at: Folders, tokens: readonly string[], walk: Walk): Folders {
  let folders = at;
  for (const [index, child] of node.children.entries()) {
    if (child.type === 'comment') checkComment(child, walk);
    else if (!child.isNamed) checkToken(child, tokens, walk);
    else if (child.type === 'file_redirect') readLoneRedirect(child, folders, walk);
    else {
      const { yes, no } = walk.statement(child, folders);
      if (node.children[index + 1]?.type !== '&') folders = walk.union(folders, yes, no);
    }
  }
  return folders;
}

function readLoneRedirect(node: Node, at: Folders, walk: Walk): void {
  const { redirects, words } = readFileRedirect(node, walk);
  if (words.length > 0) walk.doubt();
  walk.add({ redirects, folders: at });
}

const block =
  (...tokens: string[]): Reader =>
  (node, at, walk) =>
    stays(readInside(node, at, tokens, walk));

const settled =
  (...tokens: string[]): Reader =>
  (node, at, walk) => {
    for (const child of node.children) {
      if (child.type === 'comment') checkComment(child, walk);
      else if (!child.isNamed) checkToken(child, tokens, walk);
      else if (isWord(child)) readWord(child, walk);
      else if (child.type !== 'variable_name') readSettled(child, at, walk);
    }
    return stays(at);
  };

const readUnknown: Reader = (node, at, walk) => {
  walk.doubt();
  walk.descend(node);
  return stays(at);
};

const readSubshell: Reader = (node, at, walk) => {
  if (node.text.startsWith('((')) walk.doubt();
  readInside(node, at, ['(', ')'], walk);
  return stays(at);
};

const readList: Reader = (node, at, walk) => {
  const [left, operator, right, ...more] = node.children;
  if (!left || !right || more.length > 0) return readUnknown(node, at, walk);
  const first = walk.statement(left, at);
  if (operator?.type === '&&') {
    const second = walk.statement(right, first.yes);
    return { yes: second.yes, no: walk.union(first.no, second.no) };
  }
  if (operator?.type !== '||') walk.doubt();
  const second = walk.statement(right, first.no);
  return { yes: walk.union(first.yes, second.yes), no: second.no };
};

/** Each in a shell of its own. */
const readPipeline: Reader = (node, at, walk) => {
  for (const child of node.children) {
    if (child.type === 'comment') checkComment(child, walk);
    else if (child.isNamed) walk.statement(child, at);
    else if (child.type !== '|' && child.type !== '|&') walk.doubt();
  }
  return stays(at);
};

const readNegated: Reader = (node, at, walk) => {
  const [sign, inner, ...more] = node.children;
  if (sign?.type !== '!' || !inner || more.length > 0) walk.doubt();
  const { yes, no } = inner ? walk.statement(inner, at) : stays(at);
  return { yes: no, no: yes };
};

const readLoop: Reader = (node, at, walk) => {
  const name = node.children.find(({ type }) => type === 'variable_name')?.text ?? '';
  walk.add({ assignments: [{ name, word: { text: `${name}=` }, isStatement: true }], folders: at });
  return settled('for', 'select', 'in')(node, at, walk);
};

const readCaseItem: Reader = (node, at, walk) => {
  for (const child of node.children) {
    if (child.type === 'comment') checkComment(child, walk);
    else if (!child.isNamed) checkToken(child, ['|', ')', '(', ';;', ';&', ';;&'], walk);
    else if (isWord(child)) readWord(child, walk);
    else if (child.type !== 'extglob_pattern') readSettled(child, at, walk);
    else if (!/^[\w*?.[\]/-]+$/.test(child.text)) walk.doubt();
  }
  return stays(at);
};

const readFunction: Reader = (node, at, walk) => {
  const [name, ...others] = node.children.filter((child) => child.isNamed);
  if (name?.type !== 'word' || !/^\w+$/.test(name.text) || name.text === 'cd') walk.doubt();
  for (const child of others) {
    if (child.type === 'file_redirect') readLoneRedirect(child, at, walk);
    else readSettled(child, at, walk);
  }
  return stays(at);
};

const READERS: Readonly<Record<string, Reader>> = {
  command: (node, at, walk) => readCommand(node, at, walk),
  redirected_statement: readRedirected,
  list: readList,
  pipeline: readPipeline,
  negated_command: readNegated,
  subshell: readSubshell,
  compound_statement: block('{', '}'),
  if_statement: block('if', 'then', 'fi'),
  elif_clause: block('elif', 'then'),
  else_clause: block('else'),
  do_group: block('do', 'done'),
  while_statement: settled('while', 'until'),
  for_statement: readLoop,
  case_statement: settled('case', 'in', 'esac'),
  case_item: readCaseItem,
  function_definition: readFunction,
  variable_assignment: readAssignments,
  variable_assignments: readAssignments,
  declaration_command: readDeclaration,
  unset_command: readDeclaration,
  test_command: readTest,
};
