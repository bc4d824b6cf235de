/** Seeded mutation of JSON texts. Objects are lists of pairs here, so that keys may repeat and order is kept. */
export type Node =
  | { readonly kind: 'object'; readonly pairs: readonly (readonly [string, Node])[] }
  | { readonly kind: 'array'; readonly items: readonly Node[] }
  | { readonly kind: 'raw'; readonly text: string };

export interface Random {
  /** In [0, 1). */
  next(): number;
  below(n: number): number;
  pick<Value>(values: readonly Value[]): Value;
}

/** mulberry32: small, seeded, good enough to shake a parser. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (n: number) => Math.floor(next() * n);
  return {
    next,
    below,
    pick: <Value>(values: readonly Value[]) => values[below(values.length)] as Value,
  };
}

export function toNode(value: unknown): Node {
  if (Array.isArray(value)) return { kind: 'array', items: value.map(toNode) };
  if (typeof value === 'object' && value !== null) {
    return {
      kind: 'object',
      pairs: Object.entries(value).map(([name, item]) => [name, toNode(item)] as const),
    };
  }
  return { kind: 'raw', text: JSON.stringify(value) };
}

export function toText(node: Node): string {
  switch (node.kind) {
    case 'object':
      return `{${node.pairs.map(([name, item]) => `${quote(name)}:${toText(item)}`).join(',')}}`;
    case 'array':
      return `[${node.items.map(toText).join(',')}]`;
    case 'raw':
      return node.text;
  }
}

/** Every other name is written in escapes, which must mean the same. */
function quote(name: string): string {
  if (name.length % 2 === 0) return JSON.stringify(name);
  const units = Array.from({ length: name.length }, (_, index) => name.charCodeAt(index));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

const names = [
  '',
  '__proto__',
  'constructor',
  'toString',
  '0',
  '1',
  '10',
  '2',
  '4294967295',
  'a',
  'a b',
  '"',
  '\\',
  '\n',
  '\u0000',
  '\ud800',
  '\udc00x',
  '😀',
  'é',
  'e\u0301',
  '\u2028',
  'true',
  'false',
  'type',
  'model',
  'state',
  'questions',
  'criteria',
  'instructions',
  'input',
  'value',
  'label',
  'text',
];

const values = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '1',
  '-1',
  '0.5',
  '1e308',
  '1e999',
  '-1e999',
  '123456789012345678901234567890',
  '5e-324',
  '""',
  '" "',
  '"x"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\u0000"',
  '"😀"',
  '"noul"',
  '"choice"',
  '"score"',
  '"predicate"',
  '"svc-decider-v1-27b"',
  '"pplx-decider-v1-27b"',
  '"jev-latest"',
  '[]',
  '{}',
  '[[]]',
  '[null]',
  '["a"]',
  '["a","b"]',
  '{"a":null}',
  '{"a":"x","b":null}',
  '{"":1}',
  '{"__proto__":1}',
  '{"toString":null}',
  '{"toJSON":"x","then":1}',
  '{"__proto__":null,"constructor":null}',
  '{"10":null,"2":null}',
  '{"true":"x"}',
  '{"true":null,"false":" "}',
  '{"type":"noul","instructions":"x"}',
  '{"type":"image_url","image_url":{"url":"http://127.0.0.1:1/a.png"}}',
  '{"type":"image_url","image_url":"data:image/png;base64,AAAA"}',
  '[{"type":"image_url","image_url":1}]',
  '{"role":"user","content":"x"}',
  '[{"role":"user","content":[{"type":"text","text":"x"}]}]',
  'NaN',
  'undefined',
  "'x'",
  '01',
  '+1',
  '.5',
  '"\\x"',
  '"\t"',
  '',
];

function someValue(random: Random): Node {
  if (random.next() < 0.05) {
    const depth = random.pick([5, 60, 61, 62, 63, 64, 65, 200, 5_000]);
    const [open, close] = random.pick([
      ['[', ']'],
      ['{"a":', '}'],
    ] as const);
    return { kind: 'raw', text: `${open.repeat(depth)}1${close.repeat(depth)}` };
  }
  if (random.next() < 0.03) return { kind: 'raw', text: JSON.stringify('x'.repeat(random.below(5_000))) };
  if (random.next() < 0.03) {
    const count = random.pick([10, 11, 128, 129, 255, 256]);
    return {
      kind: 'array',
      items: Array.from({ length: count }, () => ({ kind: 'raw', text: '"a"' }) as const),
    };
  }
  if (random.next() < 0.03) {
    const count = random.pick([128, 129, 255, 256]);
    return {
      kind: 'object',
      pairs: Array.from(
        { length: count },
        (_, index) => [`n${index}`, { kind: 'raw', text: 'null' }] as const,
      ),
    };
  }
  return { kind: 'raw', text: random.pick(values) };
}

/** Changes one place, chosen by walking down at random. */
export function mutate(node: Node, random: Random): Node {
  const descend = random.next() < 0.75;
  if (node.kind === 'object') {
    const { pairs } = node;
    if (pairs.length > 0 && descend) {
      const at = random.below(pairs.length);
      return {
        ...node,
        pairs: pairs.map(([name, item], index) => [name, index === at ? mutate(item, random) : item]),
      };
    }
    return { ...node, pairs: mutatePairs(pairs, random) };
  }
  if (node.kind === 'array') {
    const { items } = node;
    const at = random.below(items.length + 1);
    if (items.length > at && descend) {
      return { ...node, items: items.map((item, index) => (index === at ? mutate(item, random) : item)) };
    }
    const action = random.below(4);
    if (action === 0) return { ...node, items: items.filter((_, index) => index !== at) };
    if (action === 1)
      return { ...node, items: [...items.slice(0, at), someValue(random), ...items.slice(at)] };
    if (action === 2) return { ...node, items: items.toReversed() };
    return someValue(random);
  }
  return someValue(random);
}

function mutatePairs(
  pairs: readonly (readonly [string, Node])[],
  random: Random,
): readonly (readonly [string, Node])[] {
  const at = random.below(Math.max(1, pairs.length));
  const chosen = pairs[at];
  switch (random.below(6)) {
    case 0:
      return pairs.filter((_, index) => index !== at);
    case 1:
      return chosen ? [...pairs, chosen] : pairs;
    case 2:
      return pairs.map((pair, index) => (index === at ? ([random.pick(names), pair[1]] as const) : pair));
    case 3:
      return [...pairs.slice(0, at), [random.pick(names), someValue(random)], ...pairs.slice(at)];
    case 4:
      return pairs.toReversed();
    default: {
      const other = pairs[random.below(Math.max(1, pairs.length))];
      return chosen && other
        ? pairs.map((pair, index) => (index === at ? ([pair[0], other[1]] as const) : pair))
        : pairs;
    }
  }
}

/** Damages the bytes themselves. */
export function damage(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  const at = random.below(copy.length);
  switch (random.below(5)) {
    case 0:
      return copy.subarray(0, at);
    case 1:
      copy[at] = random.below(256);
      return copy;
    case 2:
      copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
      return copy;
    case 3:
      return Buffer.concat([
        copy.subarray(0, at),
        Buffer.from(random.pick(['"', '{', '}', ',', '\\', '\ufeff', '\u0000', '[', ':', ' '])),
        copy.subarray(at),
      ]);
    default:
      return Buffer.concat([
        copy.subarray(0, at),
        copy.subarray(Math.min(copy.length, at + 1 + random.below(8))),
      ]);
  }
}
