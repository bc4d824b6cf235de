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

interface Site {
  readonly location: string;
  /** Whether its sitemaps may stand there. */
  readonly hasHost: (url: string) => boolean;
}

/**
 * The pages that a site lists: those of the sitemaps that its robots.txt names, else of `/sitemap.xml`. A sitemap that
 * cannot be read lists none: links lead to its pages as well. Not whole where one may be read at another time.
 */
export async function readSitemaps(
  { client, reader }: Pick<IndexingContext, 'client' | 'reader'>,
  polite: PoliteClient,
  { location, hasHost }: Site,
  named: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly urls: readonly string[]; readonly isWhole: boolean }> {
  const open = named.length > 0 ? [...named] : [new URL('/sitemap.xml', location).href];
  const seen = new Set<string>();
  const pages = new Set<string>();
  let isWhole = true;
  for (let url = open.shift(); url !== undefined; url = open.shift()) {
    if (seen.size >= sitemapsMax || pages.size >= urlsMax) break;
    if (seen.has(url) || !hasHost(url)) continue;
    seen.add(url);
    await polite.turn(url, signal);
    const sitemap = await readSitemap(client, reader, url, signal);
    if (sitemap === 'later') isWhole = false;
    if (sitemap === 'later' || sitemap === null) continue;
    const links = sitemap.links.map((link) => link.url);
    if (sitemap.listing === 'sitemap-index') open.push(...links);
    else for (const link of links) pages.add(link);
  }
  return { urls: [...pages].slice(0, urlsMax), isWhole };
}

/** Null for one that is not there or cannot be read. */
async function readSitemap(
  client: IndexingContext['client'],
  reader: IndexingContext['reader'],
  url: string,
  signal: AbortSignal,
): Promise<Page | 'later' | null> {
  const answer = await client.fetch(url, { signal });
  if (!answer.ok) return isRefused(answer.status) ? null : 'later';
  const bytes = await toXml(answer.bytes);
  if (bytes === null) return null;
  try {
    return await reader.extract(bytes, 'application/xml', url, signal);
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    return error.reason === 'busy' || error.reason === 'timeout' ? 'later' : null;
  }
}

/** Not that it takes too long, or is asked too often. */
const isRefused = (status: number | null): boolean =>
  status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429;

/** Null for what does not unpack, or to too much. */
async function toXml(bytes: Uint8Array): Promise<Uint8Array | null> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await unpack(bytes, { maxOutputLength: unpackedBytesMax });
  } catch {
    return null;
  }
}
