// `npm run screenshots [FOLDER] [SCENE…]`: every page of the console with demo data, at three widths and in both schemes, in the
// folder artifacts/screenshots or in the one that is named.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BrowserContext } from 'playwright-core';
import { allLooks } from '../../support/looks.ts';
import { fillServer, openScene, scenes } from '../scenes.ts';
import { launchBrowser } from '../support.ts';

interface Began {
  readonly url: string;
  readonly root_key: string;
  readonly admin_key: string;
}

const [named = 'artifacts/screenshots', ...wanted] = process.argv.slice(2);
const folder = resolve(named);
await mkdir(folder, { recursive: true });

const entry = fileURLToPath(new URL('../../../bin/nestor.mjs', import.meta.url));
const demo = spawn(process.execPath, [entry, 'demo', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
const ended = once(demo, 'close');
const browser = await launchBrowser();
try {
  const [line] = (await once(createInterface({ input: demo.stdout }), 'line')) as [string];
  const began = JSON.parse(line) as Began;
  await fillServer(began.url, began.root_key);
  const both = allLooks.flatMap(({ width }) =>
    (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
  );
  for (const { width, scheme } of both) {
    const context = await browser.newContext({
      viewport: { width, height: width === 390 ? 844 : 900 },
      colorScheme: scheme,
      reducedMotion: 'reduce',
    });
    await signIn(context, began);
    const page = await context.newPage();
    for (const scene of scenes) {
      if (wanted.length > 0 && !wanted.includes(scene.name)) continue;
      await openScene(page, began.url, scene);
      await page.screenshot({ path: join(folder, `${scene.name}-${width}-${scheme}.png`) });
    }
    await context.close();
    process.stdout.write(`${width} px, ${scheme}: done\n`);
  }
} finally {
  await browser.close();
  demo.kill('SIGTERM');
  await ended;
}
process.stdout.write(`in ${folder}\n`);

/** As a tab has the keys that was reloaded. */
async function signIn(context: BrowserContext, { root_key: key, admin_key: adminKey }: Began): Promise<void> {
  await context.addInitScript((keys) => {
    sessionStorage.setItem('nestor.keys', keys);
  }, JSON.stringify({ key, adminKey }));
}
