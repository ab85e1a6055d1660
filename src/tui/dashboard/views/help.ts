/** All keys, for a person. */
export const HELP: readonly string[] = [
  'Up Down, k j         choose in a list; scroll the transcript',
  'PgUp PgDn, g G       the same by pages, to the first and to the last',
  'Tab, Shift-Tab       the next pane, the one before; Right and Left too',
  'Enter                open the chosen thing whole; at a member, its transcript',
  'o                    the chosen member: model, mode, pane, steps',
  '',
  'a                    approve the plan, or allow the call; first it is shown whole',
  'A                    allow such calls to the whole team from now on',
  'd, r                 deny the call or reject the plan, with a reason',
  's                    a message to the chosen member',
  'i                    end its turn; it keeps its mail and history',
  'x                    ask it to end',
  '',
  '/                    only what has these words in it; Esc shows all again',
  '?                    this list',
  'q, Ctrl-C            leave; the team goes on',
];
