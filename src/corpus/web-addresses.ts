import { matchesGlob } from 'node:path';

import type { SourceOptions } from './source.ts';

/** Files that hold no text, by their names: fetching them to find out would cost the site its bandwidth. */
const otherFile =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|css|js|mjs|map|woff2?|ttf|eot|mp[34]|m4a|webm|ogg|wav|avi|mov|zip|gz|tgz|bz2|xz|7z|rar|exe|dmg|deb|rpm|iso|jar|wasm|xlsx?|pptx?)$/i;

/** Which addresses belong to a source on the web. */
export interface Reach {
  /** Whether a page may be fetched because of a link to it. */
  has(url: string): boolean;
  /** Whether its host belongs to the source at all. */
  hasHost(url: string): boolean;
}

export function createReach(location: string, { hosts, include, exclude }: SourceOptions): Reach {
  const allowed = new Set([bare(new URL(location).host), ...hosts.map(bare)]);
  const hasHost = (url: string) => allowed.has(bare(URL.parse(url)?.host ?? ''));
  return {
    hasHost,
    has(url) {
      if (!hasHost(url)) return false;
      const path = pathOf(url);
      if (otherFile.test(path) || exclude.some((pattern) => matchesPath(path, pattern))) return false;
      return include.length === 0 || include.some((pattern) => matchesPath(path, pattern));
    },
  };
}

/** A pattern is a glob over the path; a leading slash may be left out. */
function matchesPath(path: string, pattern: string): boolean {
  return matchesGlob(path.replace(/^\//, ''), pattern.replace(/^\//, ''));
}

function pathOf(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    return URL.parse(url)?.pathname ?? '';
  }
}

function bare(host: string): string {
  return host.toLowerCase().replace(/^www\./, '');
}
