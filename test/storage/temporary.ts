import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A folder that is gone after the test. */
export function temporaryFolder(context: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'nestor-storage-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
