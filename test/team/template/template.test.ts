import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { homeAt } from '../../../src/config/paths.js';
import {
  type Expansion,
  expandTemplate,
  findTemplate,
  loadTemplate,
  loadTemplates,
  plain,
} from '../../../src/team/template/template.js';
import { parseTemplate, type TemplateSource } from '../../../src/team/template/templateSchema.js';
import { tempDir } from '../../helpers/tempDir.js';

const SHIPPED = fileURLToPath(new URL('../../../templates', import.meta.url));

const parse = (front: string, body = 'Do {{prompt}}.', source: TemplateSource = 'user') =>
  parseTemplate(`---\n${front}---\n${body}\n`, 't.md', source, 't');
const expand = async (front: string, expansion: Partial<Expansion> = {}, body?: string, source?: TemplateSource) =>
  expandTemplate(await parse(front, body, source), { prompt: 'it', set: {}, trusted: true, ...expansion });

async function world() {
  const dir = await tempDir();
  const cwd = join(dir.path, 'repo/deep');
  const home = homeAt(join(dir.path, 'troupe'));
  const folders = {
    near: join(cwd, '.claude/teams'),
    project: join(dir.path, 'repo/.claude/teams'),
    user: home.templates,
    shipped: join(dir.path, 'shipped'),
  };
  await mkdir(cwd, { recursive: true });
  await mkdir(join(dir.path, 'repo/.git'));
  const write = async (where: keyof typeof folders, file: string, text: string) => {
    const path = join(folders[where], file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  };
  return {
    write,
    places: { cwd, home, shipped: folders.shipped },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

describe('finding templates', () => {
  test('the nearest project folder wins, then the user’s, then what is shipped; the file’s name is the default', async () => {
    await using w = await world();
    for (const where of ['shipped', 'user', 'project', 'near'] as const)
      await w.write(where, 'a.md', `---\ndescription: ${where}\n---\nx`);
    for (const where of ['shipped', 'user', 'project'] as const)
      await w.write(where, 'b.md', `---\nname: bee\ndescription: ${where}\n---\nx`);
    for (const where of ['shipped', 'user'] as const)
      await w.write(where, 'c.md', `---\ndescription: ${where}\n---\nx`);
    await w.write('shipped', 'below/d.md', '---\ndescription: not looked at\n---\nx');
    const { templates, broken } = await loadTemplates(w.places);
    expect(templates.map(({ name, source, description }) => [name, source, description])).toEqual([
      ['a', 'project', 'near'],
      ['bee', 'project', 'project'],
      ['c', 'user', 'user'],
    ]);
    expect(broken).toEqual([]);
  });

  test('a broken template is listed, is an error when it is asked for, and lets no weaker one through', async () => {
    await using w = await world();
    await w.write('shipped', 'a.md', '---\ndescription: fine\n---\nx');
    const file = await w.write(
      'project',
      'a.md',
      '---\ndescription: x\nmembers:\n  - name: b\n    colour: red\n---\nx',
    );
    expect(await loadTemplates(w.places)).toEqual({
      templates: [],
      broken: [{ file, line: 5, reason: '"members[1].colour" is not a key of a template. Did you mean "color"?' }],
    });
    await expect(loadTemplate('a', w.places)).rejects.toThrow(`${file}:5: "members[1].colour" is not a key`);
  });

  test('a template is found however YAML writes its name, and other files of the same words are not taken for it', async () => {
    await using w = await world();
    await w.write('shipped', 'one.md', '---\nname: "fe\\x61ture"\n---\nescaped');
    await w.write('shipped', 'two.md', '---\nname: >-\n  plain\n---\nfolded');
    await w.write('project', 'three.md', '---\ndescription: for a feature\n---\nIt is no plain one: feature, plain.');
    await w.write('user', 'four.md', '---\nbroken: feature\n---\nx');
    expect(await findTemplate('feature', w.places)).toMatchObject({ name: 'feature', body: 'escaped' });
    expect(await findTemplate('plain', w.places)).toMatchObject({ name: 'plain', body: 'folded' });
    expect(await findTemplate('one', w.places)).toBeUndefined();
    await expect(findTemplate('four', w.places)).rejects.toThrow('four.md:2: "broken" is not a key');
  });

  test('an unknown template is answered with the nearest and all that there are', async () => {
    await using w = await world();
    await w.write('shipped', 'feature.md', '---\n---\nx');
    await expect(loadTemplate('featur', w.places)).rejects.toThrow(
      'Unknown template "featur". Did you mean "feature"? Templates: feature',
    );
  });
});

test.each([
  ['members: 5\n', 2, '"members" must be a list'],
  ['members:\n  - agent: x\n', 3, '"members[1].name" must be text'],
  [
    'members:\n  - name: a/b\n',
    3,
    '"members[1].name" cannot be used: "a/b" cannot be the name of a member: it must not hold',
  ],
  ['members:\n  - name: lead\n', 3, 'it is reserved'],
  [
    'members:\n  - name: a\n    tools: Read, Wriet\n',
    4,
    '"members[1].tools" names "Wriet", and there is no such tool. Did you mean "Write"?',
  ],
  ['members:\n  - name: a\n  - name: A\n', 4, '"members[2].name" makes a second member "A"'],
  ['members:\n  - name: a-2\n  - name: a\n    count: 3\n', 4, '"members[2].name" makes a second member "a-2"'],
  ['members:\n  - name: a\n    count: 0\n', 4, '"members[1].count" must be at least 1'],
  ['members:\n  - name: a\n    color: beige\n', 4, '"members[1].color" must be one of red'],
  ['members:\n  - name: a\n    permissionMode: yolo\n', 4, '"members[1].permissionMode" must be one of plan'],
  ['tasks:\n  - subject: one\n    owner: bob\n', 4, '"tasks[1].owner" is "bob", who is no member'],
  ['tasks:\n  - subject: one\n    after: 2\n', 4, '"tasks[1].after" names task 2, and there are tasks 1 to 1'],
  [
    'tasks:\n  - subject: one\n    after: [2]\n  - subject: two\n    after: 1\n',
    4,
    '"tasks[1].after" makes task 1 wait for itself',
  ],
  ['permissions:\n  allow: ["Bash("]\n', 3, '"permissions.allow[1]" cannot be used: "Bash(" is not a permission rule'],
  ['permissions:\n  ask: []\n', 3, '"permissions.ask" is not a key of a template'],
  ['approver: me\n', 2, '"approver" must be lead or human'],
  ['limits:\n  usd: -1\n', 3, '"limits.usd" must be more than 0'],
  ['name: a:b\n', 2, '"name" cannot be used: "a:b" cannot be the name of a team'],
  ['lead: x\n', 2, '"lead" must be an object'],
])('%j is refused with line and key', async (front, line, reason) => {
  await expect(parse(front)).rejects.toMatchObject({ file: 't.md', line, reason: expect.stringContaining(reason) });
});

describe('expanding', () => {
  test('every place that holds words is filled in, once', async () => {
    const front = `variables:
  dir: {description: where, default: src}
  who: {description: whom}
lead: {agent: boss, prompt: "Mind {{dir}}."}
members:
  - {name: a, prompt: "{{prompt}} in {{ dir }}", cwd: "{{dir}}/a", plan: true}
tasks:
  - {subject: "Ask {{who}}", description: "about {{prompt}}", owner: a}
allowedPaths: ["/tmp/{{dir}}", {path: /x, toolName: Read}]
env: {DIR: "{{dir}}", N: 3}
`;
    expect(await expand(front, { prompt: 'say {{who}}', set: { who: 'Ann' } })).toEqual({
      template: 't',
      leadPrompt: 'Mind src.\n\nDo say {{who}}.',
      lead: { agent: 'boss' },
      members: [{ name: 'a', prompt: 'say {{who}} in src', cwd: 'src/a', plan: true, worktree: false }],
      tasks: [{ subject: 'Ask Ann', description: 'about say {{who}}', after: [], owner: 'a' }],
      permissions: { allow: [], deny: [] },
      allowedPaths: [
        { path: '/tmp/src', toolName: 'Edit' },
        { path: '/x', toolName: 'Read' },
      ],
      env: { DIR: 'src', N: '3' },
      approver: 'lead',
      limits: {},
      notices: [],
    });
  });

  test('a count makes members of their own names, one of them keeps its name', async () => {
    const { members } = await expand('members:\n  - {name: a, count: 3, worktree: true}\n  - {name: b, count: 1}\n');
    expect(members.map(({ name, worktree }) => [name, worktree])).toEqual([
      ['a-1', true],
      ['a-2', true],
      ['a-3', true],
      ['b', false],
    ]);
    expect(members[0]).not.toHaveProperty('count');
  });

  test('words that no {{prompt}} takes up reach the lead', async () => {
    expect((await expand('', { prompt: 'mind the gap' }, 'Review.')).leadPrompt).toBe('Review.\n\nmind the gap');
  });

  test('a prompt has a default when the template says so', async () => {
    expect((await expand('variables: {prompt: {default: nothing}}\n', { prompt: '' })).leadPrompt).toBe('Do nothing.');
  });

  test('what belongs to other programs is left alone', async () => {
    expect((await expand('', {}, 'Keep ${{ secrets }} and {{ a.b }} and {{}}.')).leadPrompt).toContain(
      'Keep ${{ secrets }} and {{ a.b }} and {{}}.',
    );
  });

  test.each([
    ['', { prompt: '' }, 'Template "t" needs a prompt: say behind its name what is to be done.'],
    [
      'variables: {base: {description: the branch}}\nenv: {B: "{{base}}"}\n',
      {},
      'Template "t" needs a value for {{base}} (the branch): --set base=VALUE',
    ],
    ['env: {B: "{{undeclared}}"}\n', {}, 'Template "t" needs a value for {{undeclared}}: --set undeclared=VALUE'],
    [
      'variables: {base: {default: x}}\n',
      { set: { bas: 'y' } },
      'Template "t" has no variable "bas". Did you mean "base"? Variables: base, prompt',
    ],
  ])('%j with %j is an error that says what is missing', async (front, expansion, message) => {
    await expect(expand(front, expansion)).rejects.toThrow(message);
  });

  const wide =
    'permissions: {allow: [Bash], deny: [Edit]}\nallowedPaths: [/]\nenv: {A: b}\nlead: {permissionMode: bypassPermissions, model: haiku}\n';

  test('a project that is not trusted cannot widen anything; its deny rules hold', async () => {
    expect(await expand(wide, { trusted: false }, undefined, 'project')).toMatchObject({
      permissions: { allow: [], deny: ['Edit'] },
      allowedPaths: [],
      env: {},
      lead: { model: 'haiku', permissionMode: undefined },
      notices: [
        't.md: permissions.allow, allowedPaths, env, lead.permissionMode do not count until the project is trusted (troupe trust).',
      ],
    });
  });

  test.each([
    ['project', true],
    ['user', false],
    ['shipped', false],
  ] as const)('a %s template with trust %s keeps all of it', async (source, trusted) => {
    expect(await expand(wide, { trusted }, undefined, source)).toMatchObject({
      permissions: { allow: ['Bash'], deny: ['Edit'] },
      env: { A: 'b' },
      lead: { permissionMode: 'bypassPermissions' },
      notices: [],
    });
  });

  test('a team without a template is a lead with the prompt', () => {
    expect(plain('hello')).toMatchObject({ leadPrompt: 'hello', members: [], tasks: [], approver: 'lead' });
  });
});

describe('the shipped templates', () => {
  const shipped = async (name: string) => {
    const dir = await tempDir();
    await using _ = dir;
    return await loadTemplate(name, { cwd: dir.path, home: homeAt(join(dir.path, 'home')), shipped: SHIPPED });
  };

  test('all load, each with a description', async () => {
    await using dir = await tempDir();
    const { templates, broken } = await loadTemplates({
      cwd: dir.path,
      home: homeAt(join(dir.path, 'home')),
      shipped: SHIPPED,
    });
    expect(broken).toEqual([]);
    expect(templates.map(({ name }) => name)).toEqual(expect.arrayContaining(['feature', 'review']));
    expect(templates.every(({ description }) => description !== '')).toBe(true);
  });

  test('feature: a planner that needs approval, an implementer in a worktree, a reviewer, one after the other', async () => {
    const team = expandTemplate(await shipped('feature'), { prompt: 'Add a flag', set: {}, trusted: false });
    expect(
      team.members.map(({ name, plan, worktree, permissionMode, prompt }) => [
        name,
        plan,
        worktree,
        permissionMode,
        prompt?.includes('Add a flag'),
      ]),
    ).toEqual([
      ['planner', true, false, undefined, true],
      ['implementer', false, true, 'acceptEdits', undefined],
      ['reviewer', false, false, undefined, undefined],
    ]);
    expect(team.tasks.map(({ owner, after }) => [owner, after])).toEqual([
      ['planner', []],
      ['implementer', [1]],
      ['reviewer', [2]],
    ]);
    expect(team).toMatchObject({ approver: 'lead', lead: { permissionMode: 'acceptEdits' }, notices: [] });
    expect(team.leadPrompt).toContain('Add a flag');
  });

  test('review: needs no prompt, and nobody in it can edit', async () => {
    const team = expandTemplate(await shipped('review'), { prompt: '', set: { base: 'main' }, trusted: false });
    expect(team.members.map(({ name }) => name)).toEqual(['security', 'performance', 'tests']);
    for (const { tools, prompt } of team.members) {
      expect(tools).not.toEqual(expect.arrayContaining(['Edit']));
      expect(prompt).toContain('git diff main');
    }
    expect(team.permissions.deny).toEqual(['Edit', 'Write', 'NotebookEdit']);
  });
});
