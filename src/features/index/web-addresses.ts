import { parsePatterns } from './new-source.ts';
import type { SourceOptions } from './source.ts';

/** Files that hold no text, by their names: fetching them to find out would cost the site its bandwidth. */
const otherFile =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|css|js|mjs|map|woff2?|ttf|eot|mp[34]|m4a|webm|ogg|wav|avi|mov|zip|gz|tgz|bz2|xz|7z|rar|exe|dmg|deb|rpm|iso|jar|wasm|xlsx?|pptx?)$/i;

/** Which addresses belong to a source on the web. */
export type Reach = ReturnType<typeof createReach>;

export function createReach(location: string, { hosts, include, exclude }: SourceOptions) {
  const allowed = new Set([bare(new URL(location).host), ...hosts.map(bare)]);
  // A leading slash may be left out.
  const wanted = parsePatterns(include.map(toRelative), 'include');
  const unwanted = parsePatterns(exclude.map(toRelative), 'exclude');
  const hasHost = (url: string) => allowed.has(bare(URL.parse(url)?.host ?? ''));
  return {
    /** Whether its host belongs to the source at all. */
    hasHost,
    /** Whether a page may be fetched because of a link to it. */
    has(url: string): boolean {
      if (!hasHost(url)) return false;
      const path = toRelative(pathOf(url));
      if (otherFile.test(path) || unwanted.some((isMeant) => isMeant(path))) return false;
      return wanted.length === 0 || wanted.some((isMeant) => isMeant(path));
    },
  };
}

function toRelative(path: string): string {
  return path.replace(/^\//, '');
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
