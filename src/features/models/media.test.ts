import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GuardedClient } from '../../kernel/kit/guarded-client.ts';
import { createFetchMedia, documentTypes, imageTypes } from './media.ts';

const caller = { account: 'acme', signal: new AbortController().signal };

/** An address that holds this. */
function holding(head: string, contentType: string) {
  const client: GuardedClient = {
    fetch: () =>
      Promise.resolve({
        ok: true,
        url: 'https://files.example/a',
        status: 200,
        contentType,
        charset: null,
        headers: {},
        bytes: new Uint8Array(Buffer.from(head, 'latin1')),
      }),
    close: () => Promise.resolve(),
  };
  return createFetchMedia(client);
}

test('what an address holds is known by its beginning where its server does not say', async () => {
  for (const [head, types, mediaType] of [
    ['\x89PNG\r\n\x1a\n....', imageTypes, 'image/png'],
    ['\xff\xd8\xff\xe0....', imageTypes, 'image/jpeg'],
    ['GIF89a....', imageTypes, 'image/gif'],
    ['RIFF....WEBPVP8 ', imageTypes, 'image/webp'],
    ['%PDF-1.7....', documentTypes, 'application/pdf'],
  ] as const)
    for (const contentType of ['application/octet-stream', ''])
      assert.equal((await holding(head, contentType)('x', types, caller)).mediaType, mediaType);
  assert.equal((await holding('x', 'image/png')('x', imageTypes, caller)).mediaType, 'image/png');
  for (const head of ['MZ', '%PDF-1.7'])
    await assert.rejects(holding(head, 'application/octet-stream')('x', imageTypes, caller), {
      code: 'invalid_image',
      message: /holds none of image\/png/,
    });
});
