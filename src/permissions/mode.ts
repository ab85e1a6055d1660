import * as z from 'zod/mini';

/** Widths grow from left to right (engine.md, Permissions). */
const WIDTHS = ['plan', 'dontAsk', 'default', 'acceptEdits', 'auto', 'bypassPermissions'] as const;

export const PermissionMode = z.enum(WIDTHS);
export type PermissionMode = z.infer<typeof PermissionMode>;

export function isWider(a: PermissionMode, b: PermissionMode): boolean {
  return WIDTHS.indexOf(a) > WIDTHS.indexOf(b);
}

/** The widest mode up to `wanted` that nobody has switched off. */
export function permitted(wanted: PermissionMode, disabled: readonly PermissionMode[] = []): PermissionMode {
  const open = WIDTHS.filter((mode) => !isWider(mode, wanted) && !disabled.includes(mode));
  return open.at(-1) ?? 'plan';
}

/** `wanted`, or `limit` where that is narrower. */
export function narrowed(wanted: PermissionMode, limit: PermissionMode): PermissionMode {
  return isWider(wanted, limit) ? limit : wanted;
}
