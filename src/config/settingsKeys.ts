import { isRecord } from '../definitions/frontmatter.js';
import { nearest } from '../util/text.js';

/** Public keys of `.claude/settings.json` that another program reads, and this one leaves alone (facts.md, CC/settings). */
const OF_OTHERS = (
  '$schema apiKeyHelper attribution autoUpdatesChannel availableModels awsAuthRefresh awsCredentialExport alwaysThinkingEnabled ' +
  'blockedMarketplaces companyAnnouncements editorMode enabledPlugins extraKnownMarketplaces fastMode ' +
  'fileSuggestion feedbackSurveyRate forceLoginMethod forceLoginOrgUUID gcpAuthRefresh ' +
  'includeCoAuthoredBy includeGitInstructions keybindings language modelOverrides outputStyle otelHeadersHelper plansDirectory ' +
  'pluginConfigs pluginTrustMessage prefersReducedMotion preferredNotifChannel respectGitignore sandbox showTurnDuration ' +
  'showThinkingSummaries skipDangerousModePermissionPrompt skipWebFetchPreflight spinnerTipsEnabled spinnerTipsOverride ' +
  'spinnerVerbs strictKnownMarketplaces syntaxHighlightingDisabled teammateMode terminalProgressBarEnabled theme ' +
  'tui useAutoModeDuringPlan verbose voice voiceEnabled wslInheritsWindowsSettings autoMemoryEnabled autoMemoryDirectory ' +
  'effortLevel agent viewMode channelsEnabled disableAutoMode defaultShell disableDeepLinkRegistration'
).split(' ');

/** Of the groups below them that are this program's to read. */
const IN_GROUPS: Readonly<Record<string, readonly string[]>> = {
  permissions: [
    'allow',
    'ask',
    'deny',
    'additionalDirectories',
    'defaultMode',
    'disableBypassPermissionsMode',
    'disableAutoMode',
  ],
  worktree: ['baseRef', 'sparsePaths', 'symlinkDirectories', 'bgIsolation'],
  autoMode: ['rules', 'environment', 'allow', 'soft_deny', 'hard_deny'],
  agentLimits: ['depth', 'concurrent', 'perSession'],
};

/**
 * Keys that nobody reads, a sentence each: a slip in `deny` must not go unseen. In a file that other programs read too
 * only what looks like a slip of a key that this one reads counts.
 */
export function strayKeys(
  raw: Readonly<Record<string, unknown>>,
  ours: readonly string[],
  isShared: boolean,
): readonly string[] {
  const known = new Set([...ours, ...OF_OTHERS]);
  return [
    ...straysIn(raw, known, ours, isShared, ''),
    ...Object.entries(IN_GROUPS).flatMap(([group, keys]) => {
      const inner = raw[group];
      return isRecord(inner) ? straysIn(inner, new Set(keys), keys, isShared, `${group}.`) : [];
    }),
  ];
}

function straysIn(
  object: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  ours: readonly string[],
  isShared: boolean,
  prefix: string,
): string[] {
  return Object.keys(object).flatMap((key) => {
    if (known.has(key)) return [];
    const near = nearest(key, ours);
    if (near === undefined) return isShared ? [] : [`"${prefix}${key}" is no setting.`];
    return [`"${prefix}${key}" is no setting. Did you mean "${prefix}${near}"?`];
  });
}
