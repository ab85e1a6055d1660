import { createHash } from 'node:crypto';
import { type Html, html, markupOf } from './html.js';
import { SCRIPT } from './script.js';
import { calls } from './sections/calls.js';
import { costs } from './sections/costs.js';
import { events } from './sections/events.js';
import { head, missing, result } from './sections/head.js';
import { members } from './sections/members.js';
import { messages } from './sections/messages.js';
import { hasPermissions, permissions, plans, plansOf } from './sections/requests.js';
import { tasks } from './sections/tasks.js';
import type { Story } from './story.js';
import { STYLE } from './style.js';
import { timeline } from './timeline/timeline.js';
import { fullTime } from './words.js';

/** What every page of ours begins with: a file that does not is somebody else's. */
export const PAGE_BEGINNING = '<!doctype html>\n<html lang="en" data-made-by="troupe report">\n';

interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Html | undefined;
}

/** The page: one text that loads nothing, links nowhere and runs only its own few lines. */
export function reportPage(story: Story): string {
  const sections = sectionsOf(story).filter(({ body }) => body !== undefined);
  const page = html`<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${story.team} \u2013 troupe report</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">To the content</a>
${head(story)}
<nav aria-label="Contents"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
<main id="main">
${sections.map(
  ({ id, title, body }) => html`<section id="${id}" aria-labelledby="h-${id}"><h2 id="h-${id}">${title}</h2>
${body}
</section>
`,
)}</main>
<footer><p>Made by troupe report, ${fullTime(story.madeAt)}.</p></footer>
<script>${SCRIPT}</script>
</body>
</html>
`;
  return PAGE_BEGINNING + markupOf(page);
}

function sectionsOf(story: Story): readonly Section[] {
  const one = (id: string, title: string, body: Html | undefined, isThere = true): Section => ({
    id,
    title,
    body: isThere ? body : undefined,
  });
  return [
    one('result', 'Result', result(story)),
    one('timeline', 'Timeline', timeline(story)),
    one('members', 'Members', members(story)),
    one('tasks', 'Tasks', tasks(story), story.tasks.length > 0),
    one('messages', 'Messages', messages(story), story.messages.first.length > 0),
    one('plans', 'Plans', plans(story), plansOf(story).length > 0),
    one('permissions', 'Permissions', permissions(story), hasPermissions(story)),
    one('calls', 'Tool calls', calls(story)),
    one('costs', 'Costs', costs(story)),
    one('events', 'Event log', events(story), story.events.first.length > 0),
    one('missing', 'Left out', missing(story), story.missing.length > 0),
  ];
}

/** Our style and our script by their hashes, and nothing else: even markup that got in could do nothing. */
function policy(): string {
  return `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; base-uri 'none'; form-action 'none'`;
}

function hashOf(code: Html): string {
  return `'sha256-${createHash('sha256').update(markupOf(code)).digest('base64')}'`;
}
