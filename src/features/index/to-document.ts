import { hash } from 'node:crypto';
import { setImmediate as yieldNow } from 'node:timers/promises';

import { type Page, fileName, toIndexWords, type NewDocument } from '../search/feature.ts';
import { backgroundAccount } from '../../kernel/kit/caller.ts';
import { passagesPerDocument } from '../../kernel/store/index-documents.ts';
import { vectorsOf, type EmbeddingEngine } from '../embeddings/feature.ts';
import { csvToMarkdown } from './csv.ts';
import { jsonToMarkdown } from './json-markdown.ts';
import { headingsOf, splitPassages } from './split.ts';
import { passageWindows, wholePassage, type PassageText } from './windows.ts';

/** Data of a document beside the page that was read. */
export interface DocumentOrigin {
  readonly sourceId: string;
  /** Address under which it is found. */
  readonly url: string;
  /** Hash of the bytes. */
  readonly hash: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly fetchedAtMs: number;
}

/** The part of a page that becomes a document. */
export type PageText = Pick<Page, 'title' | 'text' | 'language' | 'date' | 'lastUpdated'>;

export interface DocumentMaker {
  /**
   * Splits and embeds. A page without text becomes a document without passages, which is never found. Throws PageError
   * for a page that takes more than any page is worth.
   */
  toDocument(page: PageText, origin: DocumentOrigin, signal: AbortSignal): Promise<NewDocument>;
  /** The same without vectors, which follow behind, where the engine of embeddings takes long. */
  split(page: PageText, origin: DocumentOrigin, signal: AbortSignal): Promise<NewDocument>;
}

/** Makes documents in this thread: splitting holds it for 15 ms per million signs. */
export function createDocumentMaker(embedder: PassageEmbedder | null): DocumentMaker {
  const toDocument: DocumentMaker['toDocument'] = async (page, origin, signal) => {
    const document = splitDocument(page, origin);
    return embedder === null ? document : embedDocument(document, embedder, signal);
  };
  return { toDocument, split: toDocument };
}

/** Length of the headings that are indexed. */
const headingUnitsMax = 8_000;

function splitDocument(page: PageText, origin: DocumentOrigin): NewDocument {
  const text = toReadable(page.text, origin.url);
  const pieces = splitPassages(text, passagesPerDocument);
  const title = page.title || headingOf(page.text) || fileName(origin.url) || origin.url;
  const headings = headingsOf(text);
  return {
    ...origin,
    domain: hostOf(origin.url),
    title,
    headings,
    language: page.language,
    date: page.date,
    lastUpdated: page.lastUpdated,
    textHash: hashOf(page.text),
    embeddedBy: null,
    passages: pieces.map((piece) => ({
      ...piece,
      vector: null,
      words: { heading: toIndexWords(piece.heading), text: toIndexWords(piece.text) },
    })),
    words: { title: toIndexWords(title), headings: toIndexWords(headings.slice(0, headingUnitsMax)) },
  };
}

/** Of tables and data each row and entry by itself; all else as it is. */
function toReadable(text: string, url: string): string {
  const extension = /\.(?<name>csv|tsv|json)$/i.exec(URL.parse(url)?.pathname ?? url)?.groups?.['name'];
  if (extension === undefined) return text;
  return (extension.toLowerCase() === 'json' ? jsonToMarkdown(text) : csvToMarkdown(text)) ?? text;
}

/** The same document with the vectors of an engine. */
export async function embedDocument(
  document: NewDocument,
  embedder: PassageEmbedder,
  signal: AbortSignal,
): Promise<NewDocument> {
  const vectors = await embedAll(embedder, document, signal);
  const passages = document.passages.map((passage, index) => ({
    ...passage,
    vector: vectors[index] ?? null,
  }));
  return { ...document, embeddedBy: embedder.name, passages };
}

async function embedAll(
  embedder: PassageEmbedder,
  { title, passages }: NewDocument,
  signal: AbortSignal,
): Promise<readonly Uint8Array[]> {
  const stored: Uint8Array[] = [];
  for (let at = 0; at < passages.length; at += embedder.textsAtOnce) {
    await yieldNow();
    signal.throwIfAborted();
    const slice = passages.slice(at, at + embedder.textsAtOnce);
    const texts = slice.map(({ heading, text }) => ({ title, heading, text }));
    const vectors = await embedder.embedPassages(texts, signal);
    stored.push(...vectors.map(toStoredVector));
  }
  return stored;
}

export function hashOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

/** A file has none. */
function hostOf(url: string): string {
  return URL.parse(url)?.hostname.toLowerCase() ?? '';
}

/** That with which a text begins; empty where it begins with another thing. */
function headingOf(text: string): string {
  const heading = /^\s*#{1,6} (?<heading>[^\n]{1,300})/.exec(text.slice(0, 1_000))?.groups?.['heading'] ?? '';
  return heading.replaceAll(/[`*]|\s#+\s*$/g, '').trim();
}

/** Outside of this thread: 20 MiB take 20 ms. */
export async function hashOfBytes(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return Buffer.from(digest).toString('hex');
}

/** Embeds passages with the engine that is configured. */
export interface PassageEmbedder {
  /** Public name of the engine: vectors of another one are not comparable. */
  readonly name: string;
  /** One per passage: a vector, or those of its windows one behind the other. */
  embedPassages(passages: readonly PassageText[], signal: AbortSignal): Promise<readonly Float32Array[]>;
  /** Passages per call; more would make a request too large. */
  readonly textsAtOnce: number;
  /** Whether the vectors of all these are at hand, so that the engine is not asked. */
  has?(passages: readonly PassageText[]): Promise<boolean>;
}

/** With its vectors where they are at hand; else as it is, and they follow behind. */
export async function embedAtHand(
  document: NewDocument,
  embedder: PassageEmbedder,
  signal: AbortSignal,
): Promise<NewDocument> {
  const { title, passages } = document;
  const texts = passages.map(({ heading, text }) => ({ title, heading, text }));
  const isAtHand = (await embedder.has?.(texts)) ?? false;
  return isAtHand ? embedDocument(document, embedder, signal) : document;
}

/** One byte a value, scaled so that the largest has 127; only the direction counts. */
export function toStoredVector(values: Float32Array): Uint8Array {
  const bytes = new Int8Array(values.length);
  let largest = 0;
  // By index: iterating over a typed array costs three times as much.
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i] ?? 0));
  if (largest === 0) return new Uint8Array(bytes.buffer);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Math.round(((values[i] ?? 0) * 127) / largest);
  return new Uint8Array(bytes.buffer);
}

/** Of vectors that are kept, where an engine says nothing else. */
export const dimensionsMax = 1_024;
const textsAtOnce = 32;

/** The vectors of an engine as the index keeps them. Requests of people go before it. */
export function toEmbedder(embeddings: EmbeddingEngine): PassageEmbedder {
  const { storedDimensions = dimensionsMax, passageUnits } = embeddings;
  return {
    name: vectorsOf(embeddings),
    textsAtOnce,
    async embedPassages(passages, signal) {
      const windows = passages.map((passage) =>
        passageUnits === undefined ? [wholePassage(passage)] : passageWindows(passage, passageUnits),
      );
      const made = await embeddings.embed(windows.flat(), dimensionsMax, signal, backgroundAccount);
      const vectors = made.values();
      return windows.map((own) => {
        const joined = new Float32Array(own.length * storedDimensions);
        for (const place of own.keys())
          joined.set(
            (vectors.next().value ?? new Float32Array()).subarray(0, storedDimensions),
            place * storedDimensions,
          );
        return joined;
      });
    },
  };
}
