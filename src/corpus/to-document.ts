import { createHash } from 'node:crypto';
import { setImmediate as yieldNow } from 'node:timers/promises';

import type { Page } from '../search/page.ts';
import { passagesPerDocument } from '../storage/corpus-find.ts';
import type { NewDocument } from '../storage/corpus.ts';
import { toStoredVector, type PassageEmbedder } from './embed.ts';
import { headingsOf, splitPassages, type Piece } from './split.ts';

/** What is known of a document beside the page that was read. */
export interface DocumentOrigin {
  readonly sourceId: string;
  /** Address under which it is found. */
  readonly url: string;
  /** Of the bytes. */
  readonly hash: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly fetchedAtMs: number;
}

export interface DocumentMaker {
  /** Splits and embeds. A page without text becomes a document without passages, which is never found. */
  toDocument(page: Page, origin: DocumentOrigin, signal: AbortSignal): Promise<NewDocument>;
}

export function createDocumentMaker(embedder: PassageEmbedder | null): DocumentMaker {
  return {
    async toDocument(page, origin, signal) {
      const pieces = splitPassages(page.text, passagesPerDocument);
      const title = page.title === '' ? nameOf(origin.url) : page.title;
      const vectors = embedder === null ? null : await embedAll(embedder, title, pieces, signal);
      return {
        ...origin,
        domain: hostOf(origin.url),
        title,
        headings: headingsOf(page.text),
        language: page.language,
        date: page.date,
        lastUpdated: page.lastUpdated,
        textHash: hashOf(page.text),
        embeddedBy: embedder?.name ?? null,
        passages: pieces.map((piece, index) => ({ ...piece, vector: vectors?.[index] ?? null })),
      };
    },
  };
}

async function embedAll(
  embedder: PassageEmbedder,
  title: string,
  pieces: readonly Piece[],
  signal: AbortSignal,
): Promise<readonly Uint8Array[]> {
  const stored: Uint8Array[] = [];
  for (let at = 0; at < pieces.length; at += embedder.textsAtOnce) {
    signal.throwIfAborted();
    await yieldNow();
    const slice = pieces.slice(at, at + embedder.textsAtOnce);
    const texts = slice.map(({ heading, text }) => [title, heading, text].join('\n'));
    const vectors = await embedder.embedPassages(texts, signal);
    stored.push(...vectors.map((vector) => toStoredVector(vector, embedder.dimensions)));
  }
  return stored;
}

export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A file has none. */
function hostOf(url: string): string {
  return URL.parse(url)?.hostname.toLowerCase() ?? '';
}

/** The last part of an address, which is all that is known of a page without a title. */
function nameOf(url: string): string {
  const path = URL.parse(url)?.pathname ?? url;
  const last = path.split('/').findLast((part) => part !== '') ?? url;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Outside of this thread: 20 MiB take 20 ms. */
export async function hashOfBytes(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return Buffer.from(digest).toString('hex');
}
