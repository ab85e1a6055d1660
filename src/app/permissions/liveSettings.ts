import type { LoadedSettings } from '../../config/settings.js';
import { fingerprint } from '../../store/fingerprint.js';
import type { TeamSettings } from '../../team/start/launch.js';
import { messageOf } from '../../util/errors.js';
import type { World } from '../services.js';

type Live = NonNullable<TeamSettings['live']>;

/** The settings of a running session: what a person changes in their files counts from the next call on. */
export interface LiveSettings {
  current(): TeamSettings;
  /** Looks at the files: a stat each where nothing has changed. */
  look(): Promise<void>;
}

export interface LiveSettingsOptions {
  readonly world: Pick<World, 'home'>;
  readonly settings: TeamSettings;
  /** One line: a file is broken, and what held before goes on holding. */
  readonly onProblem: (problem: string) => void;
}

/** Rules, folders, hooks, `statusLine` and `autoMode` are read again; model, effort and all else stay as the team began with them. */
export function createLiveSettings({ world, settings, onProblem }: LiveSettingsOptions): LiveSettings {
  const { live } = settings;
  let now = settings;
  let seen = live?.seen;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    if (!live) return;
    const found = fingerprintOf(live.files);
    if (found === seen) return;
    seen = found;
    try {
      const { readAgain } = await import('./readAgain.js');
      now = await readAgain(world, settings, live);
    } catch (error) {
      const [line = ''] = messageOf(error).split('\n');
      onProblem(`${line} The settings from before go on holding.`);
    }
  }

  return {
    current: () => now,
    look() {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      return looking;
    },
  };
}

/**
 * What is kept of settings so that they can be read again. Of those that the command line holds itself only what is
 * read again: the rest may be secret, and this lies on disk.
 */
export async function liveFrom(
  { files, sources }: Pick<LoadedSettings, 'files' | 'sources'>,
  { cwd, first, last }: Pick<Live, 'cwd' | 'first' | 'last'>,
): Promise<Live> {
  const given = sources.find(({ source }) => source === 'flag');
  const inline = given?.file === '--settings' ? given.settings : undefined;
  const { permissions, hooks, disableAllHooks, statusLine, autoMode } = inline ?? {};
  const { allowedHttpHookUrls, httpHookAllowedEnvVars } = inline ?? {};
  const ofHooks = { hooks, disableAllHooks, allowedHttpHookUrls, httpHookAllowedEnvVars };
  const read = { permissions, ...ofHooks, statusLine, autoMode };
  const flag = inline ? JSON.stringify(read) : given?.file;
  return {
    ...{ cwd, first, last, files: [...files] },
    ...(flag !== undefined && { flag }),
    seen: fingerprintOf(files),
  };
}

/** Of several files as one: another one after each write to any of them. */
function fingerprintOf(files: readonly string[]): string {
  return files.map(fingerprintOrNone).join('|');
}

function fingerprintOrNone(file: string): string {
  try {
    return fingerprint(file) ?? '-';
  } catch {
    return '-';
  }
}
