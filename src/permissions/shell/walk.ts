import type { Node } from 'web-tree-sitter';
import type { Part } from './script.js';
import type { WordWalk } from './words.js';

/** Where a command starts. Both absolute. */
export interface Place {
  readonly cwd: string;
  readonly home: string;
}

export type Folders = readonly string[];

/** The folders that the shell may be in once a command has succeeded, and once it has failed. */
export interface Flow {
  readonly yes: Folders;
  readonly no: Folders;
}

/** What all readers of one command share. */
export interface Walk extends WordWalk {
  readonly home: string;
  add(part: Partial<Part> & Pick<Part, 'folders'>): void;
  /** Reads a statement that starts in one of these folders. */
  statement(node: Node, at: Folders): Flow;
  /** All of them, unless they are too many to follow. */
  union(...all: readonly Folders[]): Folders;
}

export const stays = (at: Folders): Flow => ({ yes: at, no: at });

/** Reads what is done any number of times, or at another time: it must stay where it is. */
export function readSettled(node: Node, at: Folders, walk: Walk): void {
  const { yes, no } = walk.statement(node, at);
  if (walk.union(at, yes, no).length > at.length) walk.doubt();
}

/** Any of these tokens, or what ends a statement. */
export function checkToken({ type }: Node, tokens: readonly string[], walk: Walk): void {
  if (![...tokens, ';', '&', '\n'].includes(type)) walk.doubt();
}

export function checkComment(node: Node, walk: Walk): void {
  const before = walk.source.charAt(node.startIndex - 1);
  if (!/^#[^\n]*$/.test(node.text) || !/^[\s;&|(]?$/.test(before)) walk.doubt();
}
