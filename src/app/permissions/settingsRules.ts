import { isAbsolute, resolve } from 'node:path';
import type { LoadedSettings } from '../../config/settings.js';
import { anchoredRule, parseRule } from '../../permissions/rule.js';
import type { TeamSettings } from '../../team/launch.js';

/** Rules beside those of the settings: of the command line, and of a template. */
export interface GivenRules {
  /** They go before. */
  readonly first: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly last: { readonly allow: readonly string[]; readonly deny: readonly string[] };
}

/** What may be done in a team, from its settings and from what it was given beside. @throws UserError for a rule that is none. */
export function rulesIn(
  { settings, sources }: Pick<LoadedSettings, 'settings' | 'sources'>,
  { first, last }: GivenRules,
  cwd: string,
): Pick<TeamSettings, 'allow' | 'ask' | 'deny' | 'folders'> {
  // A rule of the folder where the team works stays as it is: a member in a worktree reads it from there.
  const written = (behavior: 'allow' | 'ask' | 'deny') =>
    sources.flatMap((source) =>
      (source.settings.permissions?.[behavior] ?? []).map((rule) =>
        source.anchor === cwd ? rule : anchoredRule(rule, source.anchor),
      ),
    );
  const rules = {
    allow: [...first.allow, ...written('allow'), ...last.allow],
    ask: written('ask'),
    deny: [...first.deny, ...written('deny'), ...last.deny],
  };
  for (const rule of [...rules.deny, ...rules.allow, ...rules.ask]) parseRule(rule);
  return {
    ...rules,
    folders: (settings.permissions?.additionalDirectories ?? []).map((folder) =>
      isAbsolute(folder) ? folder : resolve(cwd, folder),
    ),
  };
}
