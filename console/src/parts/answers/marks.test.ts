import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Element, ElementContent, Root } from 'hast';
import { markSources } from './marks.ts';

const element = (tagName: string, ...children: ElementContent[]): Element => ({
  type: 'element',
  tagName,
  properties: {},
  children,
});
const text = (value: string): ElementContent => ({ type: 'text', value });

/** The tree as markup, marks as `<3>`. */
function marked(known: readonly number[], ...children: ElementContent[]): string {
  const root: Root = { type: 'root', children };
  markSources({ known: new Set(known) })(root);
  const told = (node: Root['children'][number]): string => {
    if (node.type === 'text') return node.value;
    if (node.type !== 'element') return '';
    const source = node.properties['dataSource'];
    return typeof source === 'string'
      ? `<${source}>`
      : `${node.tagName}(${node.children.map(told).join('')})`;
  };
  return root.children.map(told).join('');
}

test('each mark of a known source becomes a link to it, wherever it stands in the text', () => {
  assert.equal(
    marked([1, 2], element('p', text('A[1][2] and '), element('em', text('[2]')))),
    'p(A<1><2> and em(<2>))',
  );
});

test('a mark without a source stays text', () => {
  assert.equal(marked([1], element('p', text('A [2] [x] [0001] [1'))), 'p(A [2] [x] [0001] [1)');
});

test('code and links are left as they are', () => {
  assert.equal(marked([1], element('code', text('a[1]')), element('a', text('[1]'))), 'code(a[1])a([1])');
});
