import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestScope } from './server.ts';

/** A folder that is gone when the test ends. */
export async function temporaryFolder(t: TestScope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
