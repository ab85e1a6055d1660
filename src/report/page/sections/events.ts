import { type Html, html } from '../html.js';
import type { Story, StoryEvent } from '../story.js';
import { count, several, time } from '../words.js';
import { person } from './members.js';

export function events(story: Story): Html {
  const { first, leftOut, last } = story.events;
  const row = ({ at, type, member, rest }: StoryEvent) =>
    html`<tr><td>${time(at, story.startedAt)}</td><td>${type.replaceAll('_', ' ')}</td><td>${member === undefined ? '' : person(story, member)}</td><td><code>${rest.text}${rest.cut > 0 && '\u2026'}</code></td></tr>
`;
  return html`<details><summary>${several(first.length + leftOut + last.length, 'event')}</summary><div class="wide" tabindex="0" role="group" aria-label="Events"><table>
<thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Who</th><th scope="col">More</th></tr></thead>
<tbody>${first.map(row)}${leftOut > 0 && html`<tr><td colspan="4" class="gap">${count(leftOut)} in between left out.</td></tr>`}${last.map(row)}</tbody></table></div></details>`;
}
