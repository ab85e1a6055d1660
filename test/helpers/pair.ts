/** A lead and two teammates who have nothing to do, for what is about processes and panes. */
export const PAIR_SCRIPT = `
agents:
  team-lead: [{ reply: "Noted by the lead." }]
  planner: [{ reply: "Noted by the planner." }]
  reviewer: [{ reply: "Noted by the reviewer." }]
`;

export const PAIR = `---
name: pair
description: Two who wait.
members:
  - { name: planner, prompt: Wait. }
  - { name: reviewer, prompt: Wait. }
---
Wait for both.
`;
