import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rulesIn } from '../../src/app/permissions/settingsRules.js';
import { Settings, type SettingsSource } from '../../src/config/settings.js';

const NONE = { first: { allow: [], deny: [] }, last: { allow: [], deny: [] } };

function rulesOf(permissions: object, more: Partial<SettingsSource> = {}) {
  const settings = Settings.parse({ permissions });
  const source = { source: 'user', file: '/u/.claude/settings.json', anchor: '/u/.claude', settings, ...more } as const;
  return rulesIn({ settings, sources: [source] }, NONE, '/p');
}

test('a path of a rule begins where its settings are, but in the team’s own folder', () => {
  expect(rulesOf({ allow: ['Read(/a)'] }).allow).toEqual(['Read(//u/.claude/a)']);
  expect(rulesOf({ deny: ['Cd(/a)'] }).deny).toEqual(['Cd(//u/.claude/a)']);
  expect(rulesOf({ allow: ['Read(/a)'] }, { anchor: '/p' }).allow).toEqual(['Read(/a)']);
});

test('a folder more is one of the home, of the file system or of the team’s folder', () => {
  expect(rulesOf({ additionalDirectories: ['~/docs', '~', '/x', '../y'] }).folders).toEqual([
    join(homedir(), 'docs'),
    homedir(),
    '/x',
    '/y',
  ]);
});

test.each(['allow', 'ask', 'deny'])('a rule that is none is named with its file and key: %s', (behavior) => {
  for (const anchor of ['/u/.claude', '/p'])
    expect(() => rulesOf({ [behavior]: ['Read', 'Bash(npm test'] }, { anchor })).toThrow(
      `/u/.claude/settings.json: "permissions.${behavior}": "Bash(npm test" is not a permission rule`,
    );
});

test('under allowManagedPermissionRulesOnly nobody else’s rule allows anything; deny and ask rules hold', () => {
  const settings = Settings.parse({ permissions: { allow: ['Read'], ask: ['Edit'], deny: ['Bash'] } });
  const user = { source: 'user', file: '/u/settings.json', anchor: '/u', settings } as const;
  const managed = (more: object, source: 'managed' | 'project' = 'managed') =>
    ({
      source,
      file: '/m',
      anchor: '/m',
      settings: Settings.parse({ permissions: { allow: ['Glob'] }, ...more }),
    }) as const;
  const given = { first: { allow: ['Write'], deny: [] }, last: { allow: ['Grep'], deny: [] } };
  const rules = (first: SettingsSource) => rulesIn({ settings, sources: [first, user] }, given, '/p');
  const only = { allowManagedPermissionRulesOnly: true };
  expect(rules(managed(only))).toMatchObject({
    allow: ['Glob'],
    ask: ['Edit'],
    deny: ['Bash'],
    onlyManagedRules: true,
  });
  for (const source of [managed({}), managed(only, 'project')])
    expect(rules(source)).toEqual({ ...rules(source), allow: ['Write', 'Glob', 'Read', 'Grep'] });
});
