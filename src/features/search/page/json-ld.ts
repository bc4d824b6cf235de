import { isJsonObject, type Json, type JsonObject } from '../../../kernel/kit/json.ts';

const pageTypes =
  /^(?:.*Article|BlogPosting|LiveBlogPosting|Report|WebPage|.*Page|Recipe|HowTo|Dataset|Book|VideoObject)$/;
const nodesMax = 500;

/**
 * What the structured data of a page says about it: the first that names each. A block that does not parse is passed
 * over, because many sites write line breaks into strings.
 */
export function readJsonLd(blocks: readonly string[]) {
  const nodes = blocks.flatMap(nodesOf).filter((node) => pageTypes.test(typeOf(node)));
  // A page often describes both itself and its article; the article is what is read.
  const sorted = [...nodes.filter((node) => /Article|Posting|Report/.test(typeOf(node))), ...nodes];
  const first = (name: string): string | null =>
    sorted
      .map((node) => node[name])
      .find((value): value is string => typeof value === 'string' && value !== '') ?? null;
  const siteNames = sorted.map(({ publisher }) => (isJsonObject(publisher) ? publisher['name'] : null));
  return {
    title: first('headline'),
    published: first('datePublished') ?? first('dateCreated'),
    modified: first('dateModified'),
    language: first('inLanguage'),
    siteName: siteNames.find((name) => typeof name === 'string') ?? null,
  };
}

function nodesOf(block: string): JsonObject[] {
  let root: Json;
  try {
    root = JSON.parse(block.trim().replace(/^<!\[CDATA\[|\]\]>$/g, ''));
  } catch {
    // Sites write much that is no JSON there, and the page says the same in words.
    return [];
  }
  const found: JsonObject[] = [];
  const open: (Json | undefined)[] = [root];
  while (open.length > 0 && found.length < nodesMax) {
    const next = open.shift();
    if (Array.isArray(next)) open.push(...(next as readonly Json[]).slice(0, nodesMax));
    else if (isJsonObject(next)) {
      found.push(next);
      open.push(next['@graph'], next['mainEntity']);
    }
  }
  return found;
}

function typeOf(node: JsonObject): string {
  const type = node['@type'];
  const one: unknown = Array.isArray(type) ? type[0] : type;
  return typeof one === 'string' ? one.slice(0, 100) : '';
}
