import { expect, test } from 'vitest';
import { createLeaving } from '../../src/app/members/leaving.js';
import { HooksByEvent } from '../../src/definitions/hook.js';
import { hookBench } from './hookBench.js';

test('who leaves at the prompt is told apart from a signal, and from a team that others end', () => {
  const [atPrompt, bySignal, byOthers] = [createLeaving(), createLeaving(), createLeaving()];
  atPrompt.ask('after the call');
  atPrompt.ask('now');
  bySignal.ask('now');
  // The terminal goes away behind the signal.
  bySignal.ask('after the call');
  expect([atPrompt, bySignal, byOthers].map((leaving) => leaving.reason())).toEqual([
    'prompt_input_exit',
    'other',
    'other',
  ]);
});

test('SessionEnd hooks are chosen by the reason, and told it', async () => {
  const note = (name: string) => [{ type: 'command', command: `cat > ${name}` }];
  const events = HooksByEvent.parse({
    SessionEnd: [
      {
        matcher: 'prompt_input_exit',
        hooks: [{ type: 'command', command: 'said=$(cat); printf "%s\\n" "$said" >> told' }],
      },
      { matcher: 'other', hooks: note('wrong') },
    ],
  });
  await using bench = await hookBench(events);
  await bench.hooks.end('prompt_input_exit');
  expect(await bench.told()).toMatchObject([{ hook_event_name: 'SessionEnd', reason: 'prompt_input_exit' }]);
});
