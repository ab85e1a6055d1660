import { readdirSync, readFileSync } from 'node:fs';

/** The licence of each package that some part of the bundles comes from. @param paths what is bundled, and what is copied */
export function licences(root, paths) {
  const folders = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8'));
    const file = readdirSync(`${root}${folder}`).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : `\n\n${readFileSync(`${root}${folder}/${file}`, 'utf8').trim()}`;
    return `${name} ${version} (${license})${text}`;
  });
  return `troupe holds code of these packages.\n\n${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
