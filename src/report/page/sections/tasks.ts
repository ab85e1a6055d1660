import { type Html, html } from '../html.js';
import type { Story, StoryTask, TaskChange } from '../story.js';
import { textBlock, time } from '../words.js';
import { person } from './members.js';

const WORDS: Readonly<Record<string, string>> = { in_progress: 'in progress' };
const STATUSES = new Set(['pending', 'in_progress', 'completed']);
const MOST_CHANGES = 12;

type Change = TaskChange & { readonly who: string };

export function tasks(story: Story): Html {
  const changes = changesIn(story);
  return html`<div class="wide" tabindex="0" role="group" aria-label="Tasks"><table>
<thead><tr><th scope="col">#</th><th scope="col">Task</th><th scope="col">Status</th><th scope="col">Owner</th><th scope="col">After</th><th scope="col">History</th></tr></thead>
<tbody>${story.tasks.map((task, index) => row(story, task, index, changes))}</tbody></table></div>`;
}

function changesIn({ members }: Story): readonly Change[] {
  return members
    .flatMap(({ name, talk, agents }) =>
      [talk, ...agents.map((agent) => agent.talk)].flatMap(({ taskChanges }) =>
        taskChanges.map((change) => ({ ...change, who: name })),
      ),
    )
    .sort((a, b) => a.at - b.at);
}

function row(story: Story, task: StoryTask, index: number, changes: readonly Change[]): Html {
  const { id, subject, description, status, owner, blockedBy } = task;
  const own = changes.filter((change) => change.task === id);
  return html`<tr id="task-${index}"><th scope="row">${id}</th>
<td>${subject}${description.text !== '' && html`<details><summary>Description</summary>${textBlock(description)}</details>`}</td>
<td><span class="status s-${STATUSES.has(status) ? status : 'other'}">${WORDS[status] ?? status}</span></td>
<td>${owner !== undefined && person(story, owner)}</td>
<td>${blockedBy.map((other, place) => html`${place > 0 && ', '}${reference(story, other)}`)}</td>
<td>${own.slice(-MOST_CHANGES).map((change, place) => html`${place > 0 && html`<br>`}${changeWords(story, change)}`)}</td></tr>
`;
}

/** To its place on the page, by a number of ours. */
function reference({ tasks: all }: Story, id: string): Html {
  const index = all.findIndex((task) => task.id === id);
  return index < 0 ? html`${id}` : html`<a href="#task-${index}">${id}</a>`;
}

function changeWords(story: Story, { at, who, status }: Change): Html {
  return html`${time(at, story.startedAt)} ${WORDS[status] ?? status}, ${person(story, who)}`;
}
