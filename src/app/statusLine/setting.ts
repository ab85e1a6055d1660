import type { LoadedSettings } from '../../config/settings.js';
import type { StatusLine } from '../../config/statusLineSettings.js';

/** The status line that counts. It runs a program, so whatever switches off hooks switches it off too. */
export function statusLineIn({ sources, settings }: Pick<LoadedSettings, 'sources' | 'settings'>): {
  statusLine?: StatusLine;
} {
  const managed = sources.filter(({ source }) => source === 'managed').map((source) => source.settings);
  if (managed.some(({ disableAllHooks }) => disableAllHooks)) return {};
  const isManagedOnly =
    settings.disableAllHooks || managed.some(({ allowManagedHooksOnly }) => allowManagedHooksOnly === true);
  const statusLine = isManagedOnly ? managed[0]?.statusLine : settings.statusLine;
  return statusLine ? { statusLine } : {};
}
