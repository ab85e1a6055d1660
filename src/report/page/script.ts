import { html } from './html.js';

/** Filters the messages. Without it the page shows all of them. */
export const SCRIPT = html`
const form = document.getElementById('filter');
if (form) {
  const who = document.getElementById('who');
  const notices = document.getElementById('notices');
  const shown = document.getElementById('shown');
  const entries = [...document.querySelectorAll('#mail > li[data-who]')];
  const filter = () => {
    let visible = 0;
    for (const entry of entries) {
      const isOf = who.value === '' || entry.dataset.who.split(' ').includes(who.value);
      entry.hidden = !isOf || (entry.dataset.kind === 'notice' && !notices.checked);
      if (!entry.hidden) visible++;
    }
    shown.value = visible + ' of ' + entries.length;
  };
  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  filter();
}
const openTarget = () => {
  const target = /^#calls-[0-9]+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
  if (target) target.querySelector('details').open = true;
};
addEventListener('hashchange', openTarget);
openTarget();
`;
