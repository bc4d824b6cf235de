/** What the structured data of a page says about it; the first that names each. */
interface StructuredData {
  readonly title: string | null;
  readonly published: string | null;
  readonly modified: string | null;
  readonly language: string | null;
  readonly siteName: string | null;
}

const pageTypes =
  /^(?:.*Article|BlogPosting|LiveBlogPosting|Report|WebPage|.*Page|Recipe|HowTo|Dataset|Book|VideoObject)$/;
const nodesMax = 500;

/** Reads JSON-LD blocks. What does not parse is passed over: many sites write line breaks into strings. */
export function readJsonLd(blocks: readonly string[]): StructuredData {
  const nodes = blocks.flatMap(nodesOf).filter(isPage);
  // A page often describes both itself and its article; the article is what is read.
  const sorted = [...nodes.filter((node) => /Article|Posting|Report/.test(typeOf(node))), ...nodes];
  const first = (name: string): string | null =>
    sorted
      .map((node) => node[name])
      .find((value): value is string => typeof value === 'string' && value !== '') ?? null;
  const publishers = sorted.map(({ publisher }) => publisher).filter(isNode);
  const siteName = publishers
    .map(({ name }) => name)
    .find((name): name is string => typeof name === 'string');
  return {
    title: first('headline'),
    published: first('datePublished') ?? first('dateCreated'),
    modified: first('dateModified'),
    language: first('inLanguage'),
    siteName: siteName ?? null,
  };
}

type Node = Readonly<Record<string, unknown>>;

function nodesOf(block: string): Node[] {
  let root: unknown;
  try {
    root = JSON.parse(block.trim().replace(/^<!\[CDATA\[|\]\]>$/g, ''));
  } catch {
    // Sites write much that is no JSON there, and the page says the same in words.
    return [];
  }
  const found: Node[] = [];
  const open: unknown[] = [root];
  while (open.length > 0 && found.length < nodesMax) {
    const next = open.shift();
    if (Array.isArray(next)) open.push(...(next as unknown[]).slice(0, nodesMax));
    else if (isNode(next)) {
      found.push(next);
      open.push(next['@graph'], next['mainEntity']);
    }
  }
  return found;
}

function isPage(node: Node): boolean {
  return pageTypes.test(typeOf(node));
}

function typeOf(node: Node): string {
  const type = node['@type'];
  const one: unknown = Array.isArray(type) ? type[0] : type;
  return typeof one === 'string' ? one.slice(0, 100) : '';
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
