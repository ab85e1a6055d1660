import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { currentFolder, userHome } from '../../config/env.js';
import { ensureHome, managedFolder } from '../../config/paths.js';
import { loadSettings } from '../../config/settings.js';
import { openTrust } from '../../config/trust.js';
import { parseAgentFile, whenToUse } from '../../definitions/agent.js';
import { requireAgent } from '../../definitions/load.js';
import { agentsOfManifest } from '../../definitions/plugin.js';
import { loadTemplate, loadTemplates, type TemplateFile } from '../../team/template/template.js';
import { parseTemplate } from '../../team/template/templateSchema.js';
import { hasCode, messageOf, UserError } from '../../util/errors.js';
import { agentsFor } from '../knowledge/agentTypes.js';
import type { World } from '../services.js';

async function agentsHere(world: World) {
  const { home } = world;
  const cwd = currentFolder();
  const trusted = await openTrust(home).isTrusted(cwd);
  const { settings } = await loadSettings({ cwd, userHome: userHome(), home, trusted, managed: managedFolder() });
  const { strictPluginOnlyCustomization } = settings;
  return agentsFor(world, {
    cwd,
    settings: { trusted, interactive: true, strictPluginOnlyCustomization },
    environment: { ...world.environment(), ...settings.env },
  });
}

/** Every definition that can be used here, and what stands in whose way. */
export async function listAgents(world: World) {
  const { agents, skipped, overridden, warnings } = await agentsHere(world);
  return {
    agents: [...agents.values()].map((agent) => ({
      name: agent.agentType,
      source: agent.source,
      ...(agent.filename && { file: agent.filename }),
      ...(agent.plugin && { plugin: agent.plugin }),
      description: whenToUse(agent),
    })),
    skipped,
    overridden,
    warnings,
  };
}

export async function showAgent(world: World, name: string) {
  const loaded = await agentsHere(world);
  const { getSystemPrompt, ...agent } = requireAgent(loaded, name);
  return {
    ...agent,
    whenToUse: whenToUse({ ...agent, getSystemPrompt }),
    prompt: getSystemPrompt({ toolNames: [] }),
    overrides: loaded.overridden
      .filter(({ agentType }) => agentType === name)
      .map(({ agentType: _, ...weaker }) => weaker),
    warnings: loaded.warnings.filter((line) => agent.filename !== undefined && line.startsWith(`${agent.filename}:`)),
  };
}

/** What is wrong with definition files; nothing when all of them load. */
export async function checkAgents(
  world: World,
  files: readonly string[],
): Promise<{ problems: string[]; warnings: string[] }> {
  if (files.length === 0) {
    const { skipped, warnings } = await agentsHere(world);
    return {
      problems: skipped.map(({ file, line, reason }) => `${file}${line === undefined ? '' : `:${line}`}: ${reason}`),
      warnings: [...warnings],
    };
  }
  return checkEach(files, async (text, file) =>
    file.endsWith('.json') ? checkManifest(text, file) : (await parseAgentFile(text, file, 'project')).warnings,
  );
}

/** The warnings of all definitions in a plugin's JSON. @throws UserError that says what is wrong with the others. */
function checkManifest(text: string, file: string): string[] {
  const { agents, skipped } = agentsOfManifest(text, file);
  if (skipped.length > 0) throw new UserError(skipped.map(({ reason }) => `${file}: ${reason}`).join('\n'));
  return agents.flatMap(({ warnings }) => warnings);
}

const placesOf = ({ home, shippedTemplates }: World) => ({ cwd: currentFolder(), home, shipped: shippedTemplates });

export async function listTemplates(
  world: World,
): Promise<{ templates: TemplateFile[]; broken: readonly { file: string; line?: number; reason: string }[] }> {
  return loadTemplates(placesOf(world));
}

export async function showTemplate(world: World, name: string): Promise<{ file: string; text: string }> {
  const { file } = await loadTemplate(name, placesOf(world));
  return { file, text: await readFile(file, 'utf8') };
}

export async function checkTemplates(
  world: World,
  files: readonly string[],
): Promise<{ problems: string[]; warnings: string[] }> {
  if (files.length === 0) {
    const { broken } = await listTemplates(world);
    return {
      problems: broken.map(({ file, line, reason }) => `${file}${line === undefined ? '' : `:${line}`}: ${reason}`),
      warnings: [],
    };
  }
  return checkEach(files, async (text, file) => {
    await parseTemplate(text, file, 'project', basename(file, '.md'));
    return [];
  });
}

/** Copies a template to the user's own, to be changed there. @throws UserError where there is one already. */
export async function initTemplate(world: World, name: string): Promise<string> {
  const { text } = await showTemplate(world, name);
  await ensureHome(world.home);
  await mkdir(world.home.templates, { recursive: true, mode: 0o700 });
  const path = join(world.home.templates, `${name}.md`);
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (hasCode(error, 'EEXIST'))
      throw new UserError(`There is a template ${path} already. Change that one, or move it aside.`);
    throw error;
  }
  return path;
}

async function checkEach(
  files: readonly string[],
  check: (text: string, file: string) => Promise<readonly string[]>,
): Promise<{ problems: string[]; warnings: string[] }> {
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const file of files) {
    try {
      warnings.push(...(await check(await readFile(file, 'utf8'), file)));
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  return { problems, warnings };
}

/** Which folders are trusted, and the change of that. */
export function trustOf({ home }: World) {
  return openTrust(home);
}
