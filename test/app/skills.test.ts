import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Gate } from '../../src/agent/ports.js';
import type { ToolContext } from '../../src/agent/tool.js';
import { createGrants } from '../../src/app/knowledge/skillGrants.js';
import { createSkillUser, preloaded, skillListing } from '../../src/app/knowledge/skills.js';
import type { Skill } from '../../src/definitions/skill/skill.js';
import { type LoadedSkills, NO_SKILLS } from '../../src/definitions/skill/skillLoad.js';
import type { JudgeContext } from '../../src/permissions/judge.js';
import type { AgentCall } from '../../src/tools/agent.js';
import { createReadLedger } from '../../src/tools/support/files/readLedger.js';
import { tool } from '../agent/harness.js';
import { tempDir } from '../helpers/tempDir.js';

const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
  name,
  description: `What ${name} is for.`,
  kind: 'skill',
  source: 'user',
  file: `/skills/${name}/SKILL.md`,
  folder: `/skills/${name}`,
  body: `Body of ${name}: $ARGUMENTS`,
  allowedTools: [],
  isFork: false,
  isForPeople: false,
  isTyped: true,
  ...more,
});
const loadedWith = (...skills: Skill[]): LoadedSkills => ({
  ...NO_SKILLS,
  skills: new Map(skills.map((one) => [one.name, one])),
});

const CONTEXT: ToolContext = {
  cwd: '/project',
  mode: 'default',
  signal: new AbortController().signal,
  toolUseId: 'toolu_1',
  readLedger: createReadLedger(),
};

function userOf(
  skills: Skill[],
  { allows = (_: string): boolean => true, tools = [] as ReturnType<typeof tool>[] } = {},
) {
  const started: AgentCall[] = [];
  const granted: string[] = [];
  const gate: Gate = {
    decide: async (_tool, _access, { input }) =>
      allows(JSON.stringify(input)) ? { allow: true } : { allow: false, because: 'No.' },
  };
  const user = createSkillUser({
    load: async () => loadedWith(...skills),
    agents: {
      offersTeammates: false,
      offersBackground: true,
      start: async (call) => {
        started.push(call);
        return 'It has ended.';
      },
    },
    calls: () => ({
      tools,
      gate,
      state: { cwd: '/project', mode: 'default' },
      readLedger: CONTEXT.readLedger,
      drain: CONTEXT.signal,
    }),
    grant: (_, { name }) => granted.push(name),
  });
  return { user, started, granted, use: (name: string, args = '') => user.use({ skill: name, args }, CONTEXT) };
}

test('the listing is bounded however many skills there are, and leaves out those for people and those that are denied', () => {
  const many = Array.from({ length: 200 }, (_, index) => skill(`s${index}`, { description: 'word '.repeat(300) }));
  expect(skillListing(loadedWith(...many), []).length).toBeLessThan(16_000);
  const crowd = Array.from({ length: 1000 }, (_, index) => skill(`s${index}`));
  expect(skillListing(loadedWith(...crowd), [])).toContain('\n- s999\n');
  const few = loadedWith(
    skill('a', { argumentHint: 'FILE' }),
    skill('b', { isForPeople: true }),
    skill('c'),
    skill('c-d'),
  );
  expect(skillListing(few, ['Skill(c *)', 'Bash'])).toBe(
    '<skills>\nSkills for the tool Skill:\n- a (args: FILE): What a is for.\n- c-d: What c-d is for.\n</skills>',
  );
  expect(skillListing(few, ['Skill'])).toBe('');
  expect(skillListing(NO_SKILLS, [])).toBe('');
});

test('a skill of a definition is found by its plugin’s name, a missing one and one for people are said, and no command is run', () => {
  const loaded = loadedWith(skill('kit:a', { body: 'Now !`date`.' }), skill('b', { isForPeople: true }));
  expect(preloaded(loaded, ['a', 'b', 'gone'], 'kit')).toEqual([
    expect.stringContaining('Now (not run: `date`).'),
    expect.stringContaining('"b" of your definition is for people alone'),
    expect.stringContaining('"gone" of your definition does not exist'),
  ]);
});

test('the commands of a skill run where they are allowed and the agent has Bash; else a line stands in their place', async () => {
  const body = 'A !`one` B !`two` C';
  const bash = tool('Bash', async () => 'OUTPUT');
  const judged = userOf([skill('a', { body })], { allows: (input: string) => input.includes('one'), tools: [bash] });
  expect(await judged.use('a')).toContain('A OUTPUT B (not run: `two`. No.) C');
  expect(judged.granted).toEqual(['a']);
  const without = userOf([skill('a', { body })]);
  expect(await without.use('a')).toContain('A (not run, for you have no Bash: `one`) B');
});

test('a command brings along the files that it or whoever types it names with @, each read as any other call; a skill does not', async () => {
  await using dir = await tempDir();
  for (const name of ['one.md', 'two.md', 'three.md']) await writeFile(join(dir.path, name), name);
  const body = 'See @one.md, and @two.md. `@three.md` me@one.md @gone $ARGUMENTS !`print`';
  const path = (input: object) => z.object({ file_path: z.string() }).parse(input).file_path;
  const read = tool('Read', async () => '', { call: async (input) => `TEXT of ${basename(path(input))}` });
  const bash = tool('Bash', async () => 'and @three.md');
  const tools = [read, bash];
  const { user, use } = userOf([skill('old', { kind: 'command', body }), skill('new', { body })], {
    allows: (input: string) => !input.includes('two.md'),
    tools,
  });
  const said = (await user.typed('/old see', { ...CONTEXT, cwd: dir.path })) ?? '';
  expect(said).toContain(`<file path="${join(dir.path, 'one.md')}">\nTEXT of one.md\n</file>`);
  expect(said).toContain(`<file path="${join(dir.path, 'two.md')}">\n(not read: `);
  expect(said.match(/<file /g)).toHaveLength(2);
  const typed = await user.typed('/old @three.md', { ...CONTEXT, cwd: dir.path });
  expect(typed).toContain('TEXT of three.md');
  expect(await use('new')).not.toContain('<file ');
});

test('a skill with a context of its own is an agent with what the skill allows, and the caller is allowed nothing', async () => {
  const { use, started, granted } = userOf([skill('a', { isFork: true, agent: 'Explore', model: 'haiku' })]);
  expect(await use('a', 'the docs')).toBe('It has ended.');
  expect(started).toMatchObject([
    { prompt: 'Body of a: the docs', subagentType: 'Explore', model: 'haiku', skill: { folder: '/skills/a' } },
  ]);
  expect(granted).toEqual([]);
});

test('a model that names no skill is told the nearest; one for people it may use once a person has asked', async () => {
  const { user, use, started } = userOf([skill('review'), skill('people', { isForPeople: true, isFork: true })]);
  await expect(use('revew')).rejects.toThrow('Did you mean "review"? Skills: review');
  await expect(use('people')).rejects.toThrow('is for people alone');
  expect(await user.typed('/people now', CONTEXT)).toContain('call Skill {"skill":"people","args":"now"}');
  await use('people', 'now');
  expect(started).toHaveLength(1);
});

test('what is typed is a skill only by a name that people may use', async () => {
  const { user } = userOf([skill('a'), skill('b', { isTyped: false })]);
  expect(await user.typed('/a the docs', CONTEXT)).toContain('Body of a: the docs');
  expect(await user.typed('/b', CONTEXT)).toBeUndefined();
  expect(await user.typed('/etc/hosts', CONTEXT)).toBeUndefined();
  expect(await user.typed('plain', CONTEXT)).toBeUndefined();
});

test('what a skill allows ends with the turn, its folder stays readable, and another agent has neither', () => {
  const grants = createGrants();
  const [own, other] = [
    { cwd: '/project', mode: 'default' as const },
    { cwd: '/project', mode: 'default' as const },
  ];
  const context: JudgeContext = {
    mode: 'default',
    rules: { allow: [], ask: [], deny: [] },
    cwd: '/project',
    folders: ['/project'],
    protectedRoots: [],
    allowedPaths: [],
    home: '/home',
  };
  grants.add(own, { folder: '/skills/a', allowedTools: ['Bash(make *)'] });
  expect(grants.widened(context, own)).toMatchObject({
    rules: { allow: [{ tool: 'Bash', specifier: 'make *' }] },
    allowedPaths: [{ path: '/skills/a', toolName: 'Read' }],
  });
  grants.turnOver(own);
  expect(grants.widened(context, own)).toMatchObject({
    rules: { allow: [] },
    allowedPaths: [{ path: '/skills/a', toolName: 'Read' }],
  });
  expect(grants.widened(context, other)).toEqual(context);
});

test('a skill that is read into the conversation stays on its model, and one that asks for another says so', async () => {
  const { user, use } = userOf([skill('a', { model: 'haiku' }), skill('b')]);
  const note =
    '(It asks for the model "haiku", which counts with `context: fork` only: you go on with your own.)\nBody of a';
  expect(await use('a')).toContain(note);
  expect(await user.typed('/a', CONTEXT)).toContain(note);
  expect(await use('b')).not.toContain('asks for the model');
});
