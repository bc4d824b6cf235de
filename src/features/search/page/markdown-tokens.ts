import type { Token } from 'marked';

/** Every token of a tree, in order, without what is inside of those that are not opened. */
export function* tokensOf(
  roots: readonly Token[],
  isOpened: (token: Token) => boolean = () => true,
): Generator<Token, void, undefined> {
  const open: Token[] = roots.toReversed();
  for (let token = open.pop(); token !== undefined; token = open.pop()) {
    yield token;
    const inner = isOpened(token) ? childrenOf(token) : [];
    for (let at = inner.length - 1; at >= 0; at--) {
      const one = inner[at];
      if (one !== undefined) open.push(one);
    }
  }
}

export function childrenOf(token: Token): readonly Token[] {
  if (token.type === 'list' && 'items' in token) return token.items as Token[];
  if (token.type === 'table' && 'header' in token && 'rows' in token) {
    const cells = [
      ...(token.header as { tokens: Token[] }[]),
      ...(token.rows as { tokens: Token[] }[][]).flat(),
    ];
    return cells.flatMap((cell) => cell.tokens);
  }
  return 'tokens' in token ? (token.tokens ?? []) : [];
}

export function plainText(token: Token): string {
  const leaves = [...tokensOf('tokens' in token ? (token.tokens ?? []) : [])].filter(
    (one) => childrenOf(one).length === 0,
  );
  return leaves.length > 0
    ? leaves.map((one) => ('text' in one ? String(one.text) : '')).join('')
    : 'text' in token
      ? String(token.text)
      : '';
}
