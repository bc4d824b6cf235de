import { Fault } from '../../kernel/faults.ts';
import { imageBytesMax, type GuardedClient } from '../../kernel/kit/guarded-client.ts';
import type { FetchMedia } from './media.ts';

/** Reads images and documents that callers name by address. The reason of a refusal is fit for them. */
export function createFetchMedia(client: GuardedClient): FetchMedia {
  return async (url, mediaTypes, caller) => {
    const outcome = await client.fetch(url, { ...caller, accept: mediaTypes, bytesMax: imageBytesMax });
    if (!outcome.ok) throw new Fault('invalid_image', `The address cannot be read: ${outcome.message}`);
    return { mediaType: outcome.contentType, base64: Buffer.from(outcome.bytes).toString('base64') };
  };
}
