// `npm run docs:site`: the documentation as static files in the folder site, or in the one that is named.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { buildSite } from './build.ts';

const folder = resolve(process.argv[2] ?? 'site');
const files = await buildSite(new URL('../../../', import.meta.url));
await rm(folder, { recursive: true, force: true });
for (const [path, text] of files) {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}
process.stdout.write(`${files.size} files in ${folder}; open ${join(folder, 'index.html')}\n`);
