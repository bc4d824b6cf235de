import type { Element, ElementContent, Root, Text } from 'hast';

/** `[12]`; longer numbers are no citation markers. */
const markPattern = /\[(\d{1,3})\]/g;

/** Text below them is code, or a link already. */
const closed = new Set(['code', 'pre', 'a']);

/**
 * Replaces each `[n]` that cites a source by a `sup` with `data-source`, which Markdown never produces and the renderer
 * turns into a link. A rehype plugin: it changes the tree in place.
 */
export function markSources({ known }: { readonly known: ReadonlySet<number> }): (tree: Root) => void {
  return (tree) => {
    visit(tree, known);
  };
}

function visit(parent: Root | Element, known: ReadonlySet<number>): void {
  const nodes: readonly Root['children'][number][] = parent.children;
  const children = nodes.flatMap<Root['children'][number]>((child) => {
    if (child.type === 'text') return splitText(child, known);
    if (child.type === 'element' && !closed.has(child.tagName)) visit(child, known);
    return [child];
  });
  parent.children = children as ElementContent[];
}

function splitText(node: Text, known: ReadonlySet<number>): ElementContent[] {
  const parts: ElementContent[] = [];
  let from = 0;
  for (const found of node.value.matchAll(markPattern)) {
    const number = Number(found[1]);
    if (!known.has(number)) continue;
    if (found.index > from) parts.push({ type: 'text', value: node.value.slice(from, found.index) });
    parts.push({
      type: 'element',
      tagName: 'sup',
      properties: { dataSource: String(number) },
      children: [{ type: 'text', value: found[0] }],
    });
    from = found.index + found[0].length;
  }
  if (from === 0) return [node];
  if (from < node.value.length) parts.push({ type: 'text', value: node.value.slice(from) });
  return parts;
}
