import { mkdirSync, writeFileSync } from 'node:fs';
import type { TestScope } from '../support/server.ts';
import { temporaryFolder } from '../storage/temporary.ts';

export const rootKey = 'root-key-of-acme-0123456789';

/** Folder and environment of a server whose account learns, for one process after the other. */
export function learnerIn(t: TestScope, database: string) {
  const data = `${temporaryFolder(t)}/data`;
  mkdirSync(data);
  writeFileSync(`${data}/nestor.yaml`, JSON.stringify({ keys: [{ key: rootKey, account: 'acme' }] }));
  const env = {
    NESTOR_DATABASE_URL: database,
    NESTOR_RATE_LIMITS_ENABLED: 'false',
    NESTOR_LOG_LEVEL: 'error',
    NESTOR_DETECT: 'false',
    NESTOR_SANDBOX_RUNNER: 'off',
  };
  return { data, env };
}
