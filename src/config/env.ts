import { homedir, tmpdir } from 'node:os';

/** This process's environment as it is now. */
export function environment(): Record<string, string> {
  const present: Record<string, string> = {};
  for (const [key, value] of Object.entries(process.env)) if (value !== undefined) present[key] = value;
  return present;
}

/** A variable's value; an empty one counts as not set. */
export function variable(name: string): string | undefined {
  return process.env[name] || undefined;
}

/** Makes this process's environment exactly `next`. For a pane's process, which gets it from its launch file. */
export function replaceEnvironment(next: Readonly<Record<string, string>>): void {
  for (const key of Object.keys(process.env)) if (!(key in next)) delete process.env[key];
  Object.assign(process.env, next);
}

export function userHome(): string {
  return variable('HOME') ?? homedir();
}

export function temporaryFolder(): string {
  return tmpdir();
}

export function currentFolder(): string {
  return process.cwd();
}

export function enterFolder(path: string): void {
  process.chdir(path);
}

/** Where a model's service is and what opens it come from the SDK's own variables. */
export function hasCredentials(): boolean {
  return variable('ANTHROPIC_API_KEY') !== undefined || variable('ANTHROPIC_AUTH_TOKEN') !== undefined;
}
