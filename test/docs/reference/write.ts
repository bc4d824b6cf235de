import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { makePages, referenceFolder } from './pages.ts';

// `npm run docs:reference`: writes docs/reference/ anew.
const pages = await makePages();
await mkdir(referenceFolder, { recursive: true });
for (const name of await readdir(referenceFolder))
  if (!pages.has(name)) await rm(new URL(name, referenceFolder));
for (const [name, text] of pages) await writeFile(new URL(name, referenceFolder), text);
console.log(`${pages.size} pages in docs/reference`);
