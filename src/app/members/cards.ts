import { shortBody } from '../../team/requestBody.js';
import { suggestedRules, type TeamRequest } from '../../team/requests.js';
import { Shown, shown } from '../../tui/shown.js';
import type { Theme } from '../../tui/theme.js';
import { oneLine } from '../../util/text.js';
import type { OpenQuestion } from '../session/questions.js';

const LINE = 160;

/** A plan or a permission that a person may decide, and what to type for it. */
export function cardLines(request: TeamRequest, color: string | undefined, look: Theme): Shown[] {
  const { id, kind, from, plan = '', description = '' } = request;
  const short = id.slice(0, 8);
  const badge = look.member(`[${from}]`, color);
  if (kind === 'plan')
    return [
      shown`${badge} ${look.strong('has a plan')}`,
      ...quoted(plan),
      look.warn(`  /approve ${short} [feedback]   /reject ${short} feedback`),
    ];
  const rules = suggestedRules(request);
  return [
    shown`${badge} ${look.strong('asks:')} ${oneLine(description, LINE)}`,
    ...shortBody(request, LINE, `/show ${short}`).map(quote),
    look.warn(`  /allow ${short}   ${rules.length > 0 ? `/always ${short}   ` : ''}/deny ${short} [reason]`),
    // Whoever says always should know to what.
    ...(rules.length > 0 ? [look.dim(`  always: ${oneLine(rules.join(', '), LINE)}`)] : []),
  ];
}

/** What an agent asks its person, with the options to choose from. */
export function questionLines({ id, header, question, options, multiSelect }: OpenQuestion, look: Theme): Shown[] {
  return [
    shown`${look.strong(`[${header}]`)} ${oneLine(question, 500)}`,
    ...options.map(
      ({ label, description }, index) =>
        shown`  ${String(index + 1)}  ${oneLine(label)}  ${look.dim(oneLine(description, 200))}`,
    ),
    look.warn(`  /answer ${id} ${multiSelect ? '1,2' : '1'}   or in your own words`),
  ];
}

const quote = (line: string) => new Shown(`  │ ${line}`);

const quoted = (text: string) => text.split(/\r?\n/).map(quote);
