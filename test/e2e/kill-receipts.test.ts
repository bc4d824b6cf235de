import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { WireVerification } from '../../src/features/verification/wire/verification.ts';
import { roundsOf } from '../support/rounds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { spawnServer } from './server-process.ts';

const note = '# Keas\n\nThe kea is a large parrot. It was described by John Gould in 1856.';
const config = {
  decisions: { engine: 'words' },
  chat: { verify: 'mark' },
  rate_limits: { tables: { 'chat svc': 1_000_000, receipts: 1_000_000 } },
};
const key = 'kill-root-key-0123456789';
const env = { NESTOR_ROOT_KEY: key, NESTOR_DETECT: 'false', NESTOR_SANDBOX_RUNNER: 'off' };
const headers = { authorization: `Bearer ${key}` };
const body = JSON.stringify({
  model: 'svc',
  disable_search: true,
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'By whom was the kea described?' },
        { type: 'file_url', file_url: { url: Buffer.from(note).toString('base64') }, file_name: 'keas.md' },
      ],
    },
  ],
});

test('a receipt that an answer has told of outlives kill -9 at that moment', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'nestor.yaml'), JSON.stringify(config));
  const told = new Set<string>();
  let server = await spawnServer(folder, env);
  t.after(() => server.end('SIGKILL'));
  for (let round = 0; round < roundsOf(2, 10); round++) {
    const answers = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const response = await fetch(`${server.url}/chat/completions`, { method: 'POST', headers, body });
        return (await response.json()) as { readonly verification?: WireVerification };
      }),
    );
    await server.end('SIGKILL');
    for (const { verification } of answers) told.add(verification?.receipt ?? assert.fail('no receipt'));
    server = await spawnServer(folder, env);
    for (const id of told) {
      const response = await fetch(`${server.url}/v1/receipts/${id}`, { headers });
      assert.equal(response.status, 200, id);
      assert.equal(((await response.json()) as { readonly id: string }).id, id);
    }
  }
  assert.equal(told.size, roundsOf(2, 10) * 4);
});
