import type { LoadedSettings, SettingsSource } from '../../config/settings.js';
import { anchoredRule, parseRule } from '../../permissions/rule.js';
import type { TeamSettings } from '../../team/start/launch.js';
import { absolutePath } from '../../tools/support/files/paths.js';
import { messageOf, UserError } from '../../util/errors.js';

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
): Pick<TeamSettings, 'allow' | 'ask' | 'deny' | 'folders' | 'onlyManagedRules'> {
  // A rule of the folder where the team works stays as it is: a member in a worktree reads it from there.
  const written = (behavior: 'allow' | 'ask' | 'deny', from = sources) =>
    from.flatMap((source) =>
      (source.settings.permissions?.[behavior] ?? []).map((rule) => ruleOf(rule, behavior, source, cwd)),
    );
  const managed = sources.filter(({ source }) => source === 'managed');
  const onlyManaged = managed.some((source) => source.settings.allowManagedPermissionRulesOnly === true);
  const rules = {
    allow: onlyManaged ? written('allow', managed) : [...first.allow, ...written('allow'), ...last.allow],
    ask: written('ask'),
    deny: [...first.deny, ...written('deny'), ...last.deny],
  };
  for (const rule of [...rules.deny, ...rules.allow]) parseRule(rule);
  return {
    ...rules,
    ...(onlyManaged && { onlyManagedRules: true }),
    folders: (settings.permissions?.additionalDirectories ?? []).map((folder) => absolutePath(folder, cwd)),
  };
}

/** @throws UserError that names file and key of a rule that is none. */
function ruleOf(rule: string, behavior: string, { file, anchor }: SettingsSource, cwd: string): string {
  try {
    const anchored = anchoredRule(rule, anchor);
    return anchor === cwd ? rule : anchored;
  } catch (error) {
    throw new UserError(`${file}: "permissions.${behavior}": ${messageOf(error)}`, undefined, { cause: error });
  }
}
