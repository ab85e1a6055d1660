/**
 * Lines that GitHub's runner obeys: `::name::` at a line's beginning, the older `##[name]` anywhere in a line.
 * Source: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands and, for the older form,
 * ActionCommand.cs in https://github.com/actions/runner
 */
const AT_BEGINNING = /(^|[\r\n])([\s\u0085]*)::/g;
const ANYWHERE = '##[';

/** A text for people, with nothing in it that the runner would obey. */
export function inert(text: string): string {
  return text.replace(AT_BEGINNING, '$1$2\\::').replaceAll(ANYWHERE, '##\\[');
}

/** A text that must stay as it is, between two lines that have the runner obey nothing, where something in it would be obeyed. */
export function unobeyed(text: string, newToken: () => string): string {
  if (inert(text) === text) return text;
  const token = newToken();
  return `::stop-commands::${token}\n${text.replace(/\n$/, '')}\n::${token}::`;
}

/** The same JSON, in which the runner finds nothing to obey. */
export function inertJson(json: string): string {
  return json.replaceAll(ANYWHERE, '#\\u0023[');
}
