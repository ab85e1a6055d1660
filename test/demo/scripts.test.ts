import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { homeAt } from '../../src/config/paths.js';
import { loadScript } from '../../src/modelServer/script/script.js';
import { loadTemplate } from '../../src/team/template/template.js';
import { namesOf } from '../../src/team/template/templateSchema.js';
import { tempDir } from '../helpers/tempDir.js';

const templates = fileURLToPath(new URL('../../templates', import.meta.url));
const scripts = (await readdir(`${templates}/scripts`)).filter((file) => file.endsWith('.yaml'));

test('there is a script for every shipped template', () => {
  expect(scripts).toEqual(['debug.yaml', 'feature.yaml', 'refactor.yaml', 'research.yaml', 'review.yaml']);
});

test.each(scripts)('%s gives words to every member of the template of its name, and to nobody else', async (file) => {
  await using dir = await tempDir();
  const script = await loadScript(`${templates}/scripts/${file}`);
  const places = { cwd: dir.path, home: homeAt(dir.path), shipped: templates };
  const { members } = await loadTemplate(file.replace('.yaml', ''), places);
  expect(Object.keys(script.agents).sort()).toEqual([...members.flatMap(namesOf), 'team-lead'].sort());
});

test.each(scripts)('each agent of %s has a last rule that answers whatever comes', async (file) => {
  const { agents } = await loadScript(`${templates}/scripts/${file}`);
  for (const rules of Object.values(agents)) {
    const last = rules.at(-1);
    expect(last?.when).toBeUndefined();
    expect(last?.once).toBeUndefined();
  }
});
