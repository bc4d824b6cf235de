import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertFirstStart, run, skipsFirstStart } from '../support/first-start.ts';

const root = new URL('../..', import.meta.url).pathname;

test(
  'a fresh clone answers the line that npm start prints',
  { skip: skipsFirstStart, timeout: 300_000 },
  async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'nestor-clone-'));
    t.after(() => rm(home, { recursive: true, force: true }));
    const clone = join(home, 'nestor');
    await run('git', ['clone', '--quiet', root, clone]);
    await assertFirstStart({ after: (close) => t.after(close) }, ['npm', 'start'], { cwd: clone, home });
  },
);
