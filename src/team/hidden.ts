import type { Member, TeamFile } from './teamFile.js';

/** Whether a person has put the member's pane away. */
export function isHidden({ hiddenPaneIds = [] }: TeamFile, { tmuxPaneId }: Pick<Member, 'tmuxPaneId'>): boolean {
  return hiddenPaneIds.includes(tmuxPaneId);
}

/**
 * With a pane put away, or shown again. `former`: the pane that its member had before, which is gone; in another server
 * somebody else may have one of that id by now.
 */
export function withHidden(team: TeamFile, paneId: string, hidden: boolean, former?: string): TeamFile {
  const { hiddenPaneIds = [], members } = team;
  const isGone = (id: string) => id === former && !members.some(({ tmuxPaneId }) => tmuxPaneId === id);
  const others = hiddenPaneIds.filter((id) => id !== paneId && !isGone(id));
  if (!hidden && others.length === hiddenPaneIds.length) return team;
  return { ...team, hiddenPaneIds: hidden ? [...others, paneId] : others };
}
