import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ExitCode, isSystemError, UserError } from '../util/errors.js';
import { fileNameOf } from '../util/names.js';
import { userHome, variable } from './env.js';

/** Everything under `$TROUPE_HOME`, by name. The only place that knows the layout above a single team. */
export interface Home {
  readonly root: string;
  readonly settings: string;
  readonly trust: string;
  /** A person's own models, prices and aliases. */
  readonly models: string;
  /** What all who ask models on this machine have in common. */
  readonly traffic: string;
  readonly templates: string;
  /** Installed plugins, a folder or a JSON file each. */
  readonly plugins: string;
  readonly teams: string;
  readonly sessions: string;
  readonly archive: string;
  /** Events of what agents do, a file a day. */
  readonly telemetry: string;
  /** What is known of projects, a folder each. */
  readonly memory: string;
  team(name: string): TeamPaths;
  session(id: string): SessionPaths;
}

/** Everything of one team. A member's files are named after its folded name. */
export interface TeamPaths {
  readonly root: string;
  readonly config: string;
  readonly inboxes: string;
  readonly requests: string;
  readonly plans: string;
  readonly tasks: string;
  readonly run: string;
  readonly launch: string;
  readonly files: string;
  readonly edits: string;
  readonly events: string;
  runRecord(member: string): string;
  launchFile(member: string): string;
  /** The environment of a member that another process is asked to start, by the request's id. */
  startFile(id: string): string;
}

export interface SessionPaths {
  readonly root: string;
  readonly record: string;
  readonly transcript: string;
  readonly agents: string;
  readonly tasks: string;
  readonly notices: string;
  /** What `SessionStart` hooks set for its commands. */
  readonly hookVariables: string;
}

/** `$TROUPE_HOME`, or `~/.troupe`. */
export function homePath(): string {
  return resolve(variable('TROUPE_HOME') ?? join(userHome(), '.troupe'));
}

export function homeAt(root: string): Home {
  return {
    root,
    settings: join(root, 'settings.json'),
    trust: join(root, 'trust.json'),
    models: join(root, 'models.json'),
    traffic: join(root, 'traffic'),
    templates: join(root, 'templates'),
    plugins: join(root, 'plugins'),
    teams: join(root, 'teams'),
    sessions: join(root, 'sessions'),
    archive: join(root, 'archive'),
    telemetry: join(root, 'telemetry'),
    memory: join(root, 'memory'),
    team: (name) => teamPathsAt(join(root, 'teams', fileNameOf(name))),
    session: (id) => sessionPathsAt(join(root, 'sessions', id)),
  };
}

export function teamPathsAt(root: string): TeamPaths {
  const run = join(root, 'run');
  const launch = join(root, 'launch');
  return {
    root,
    config: join(root, 'config.json'),
    inboxes: join(root, 'inboxes'),
    requests: join(root, 'requests'),
    plans: join(root, 'plans'),
    tasks: join(root, 'tasks'),
    run,
    launch,
    files: join(root, 'files'),
    edits: join(root, 'edits.jsonl'),
    events: join(root, 'events.jsonl'),
    runRecord: (member) => join(run, `${fileNameOf(member)}.json`),
    launchFile: (member) => join(launch, `${fileNameOf(member)}.json`),
    startFile: (id) => join(launch, `${fileNameOf(id)}.request`),
  };
}

function sessionPathsAt(root: string): SessionPaths {
  return {
    root,
    record: join(root, 'session.json'),
    transcript: join(root, 'transcript.jsonl'),
    agents: join(root, 'agents'),
    tasks: join(root, 'tasks'),
    notices: join(root, 'notices'),
    hookVariables: join(root, 'hook-env.sh'),
  };
}

/** Makes the home, private to its user. Returns the folders that were not there before, the outer first. */
export async function ensureHome(home: Home): Promise<string[]> {
  const made: string[] = [];
  for (const path of [home.root, home.teams, home.sessions, home.archive, home.traffic]) {
    if ((await makeFolder(path)) !== undefined) made.push(path);
  }
  return made;
}

async function makeFolder(path: string): Promise<string | undefined> {
  try {
    return await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    // On a read-only disk `recursive` says ENOENT of folders that it could not make.
    throw new UserError(
      `${path} cannot be made (${error.code}): troupe needs a home that it can write to. Choose one: TROUPE_HOME=FOLDER`,
      ExitCode.failed,
      { cause: error },
    );
  }
}

/** Where sockets are: short, for their paths may not be long. */
export function runtimeFolder(): string {
  const given = variable('XDG_RUNTIME_DIR');
  return given === undefined ? `/tmp/troupe-${process.getuid?.()}` : join(given, 'troupe');
}

/** Where an administrator puts what holds for everybody on this machine. */
export function managedFolder(): string {
  return process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code';
}
