import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

import { PageError, type Page } from '../search/feature.ts';
import type { IndexingContext } from './context.ts';
import type { PoliteClient } from './robots.ts';

const sitemapsMax = 50;
const urlsMax = 50_000;
/** The protocol allows 50 MB, unpacked. */
const unpackedBytesMax = 52_428_800;

const unpack = promisify(gunzip);

/**
 * The pages that a site lists: those of the sitemaps that its robots.txt names, else of `/sitemap.xml`. A sitemap that
 * cannot be read lists none: links lead to its pages as well.
 */
export async function readSitemaps(
  { client, reader }: Pick<IndexingContext, 'client' | 'reader'>,
  polite: PoliteClient,
  location: string,
  named: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const open = named.length > 0 ? [...named] : [new URL('/sitemap.xml', location).href];
  const seen = new Set<string>();
  const pages = new Set<string>();
  for (let url = open.shift(); url !== undefined; url = open.shift()) {
    if (seen.size >= sitemapsMax || pages.size >= urlsMax) break;
    if (seen.has(url) || new URL(url).host !== new URL(location).host) continue;
    seen.add(url);
    await polite.turn(url, signal);
    const answer = await client.fetch(url, { signal });
    if (!answer.ok) continue;
    const bytes = await toXml(answer.bytes);
    if (bytes === null) continue;
    const sitemap = await readSitemap(reader, bytes, url, signal);
    const links = sitemap?.links.map((link) => link.url) ?? [];
    if (sitemap?.listing === 'sitemap-index') open.push(...links);
    else for (const link of links) pages.add(link);
  }
  return [...pages].slice(0, urlsMax);
}

/** Null for one that cannot be read. */
async function readSitemap(
  reader: IndexingContext['reader'],
  bytes: Uint8Array,
  url: string,
  signal: AbortSignal,
): Promise<Page | null> {
  try {
    return await reader.extract(bytes, 'application/xml', url, signal);
  } catch (error) {
    if (error instanceof PageError) return null;
    throw error;
  }
}

/** Null for what does not unpack, or to too much. */
async function toXml(bytes: Uint8Array): Promise<Uint8Array | null> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await unpack(bytes, { maxOutputLength: unpackedBytesMax });
  } catch {
    return null;
  }
}
