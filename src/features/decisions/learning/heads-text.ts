import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/schema';
import { Strict } from '../../../kernel/kit/schema.ts';
import type { Head } from './fit-head.ts';
import type { Learned, Linear, Nearest } from './head.ts';

/** 32-bit numbers in Base64, little-endian: a head of 77 options is 160 kB, and as digits six times as long. */
const Numbers = Type.String();
const Counts = Type.Array(Type.Integer({ minimum: 0 }));
const Regression = Strict({ kind: Type.Literal('linear'), mean: Numbers, weights: Numbers });
const Examples = Strict({
  kind: Type.Literal('nearest'),
  dimensions: Type.Integer({ minimum: 1 }),
  vectors: Numbers,
  right: Type.Array(Type.Integer({ minimum: 0 })),
});
const Both = Strict({ kind: Type.Literal('blend'), linear: Regression, nearest: Examples });
const Learnt = Type.Union([Regression, Examples, Both]);

const HeadsText = Strict({
  version: Type.Literal(1),
  /** What the vectors are made with. */
  features: Type.String(),
  heads: Type.Array(
    Strict({
      question: Type.String(),
      temperature: Type.Number({ exclusiveMinimum: 0 }),
      learned: Learnt,
      baseline: Type.Optional(Strict({ chosen: Counts, sure: Counts })),
    }),
  ),
});
type HeadsText = Static<typeof HeadsText>;

const known = Compile(HeadsText);

export interface Heads {
  /** What the vectors were made with that they were learned over. */
  readonly features: string;
  /** By `questionKey`. */
  readonly heads: ReadonlyMap<string, Head>;
}

export function toHeadsText({ features, heads }: Heads): string {
  const content: HeadsText = {
    version: 1,
    features,
    heads: [...heads].map(([question, { temperature, learned, baseline }]) => ({
      question,
      temperature,
      learned: toText(learned),
      ...(baseline !== undefined && {
        baseline: { chosen: [...baseline.chosen], sure: [...baseline.sure] },
      }),
    })),
  };
  return JSON.stringify(content);
}

/** Null for a text that `toHeadsText` did not write. Throws SyntaxError for one that is no JSON. */
export function parseHeads(text: string): Heads | null {
  const value: unknown = JSON.parse(text);
  if (!known.Check(value)) return null;
  const heads = value.heads.map(
    ({ question, learned, ...rest }) => [question, { ...rest, learned: fromText(learned) }] as const,
  );
  return { features: value.features, heads: new Map(heads) };
}

function toText(learned: Learned): Static<typeof Learnt> {
  if (learned.kind === 'linear') return fromLinear(learned);
  if (learned.kind === 'nearest') return fromNearest(learned);
  const { kind, linear, nearest } = learned;
  return { kind, linear: fromLinear(linear), nearest: fromNearest(nearest) };
}

function fromText(learned: Static<typeof Learnt>): Learned {
  if (learned.kind === 'linear') return toLinear(learned);
  if (learned.kind === 'nearest') return toNearest(learned);
  const { kind, linear, nearest } = learned;
  return { kind, linear: toLinear(linear), nearest: toNearest(nearest) };
}

function fromLinear({ kind, mean, weights }: Linear): Static<typeof Regression> {
  return { kind, mean: encode([mean]), weights: encode([weights]) };
}

function toLinear({ kind, mean, weights }: Static<typeof Regression>): Linear {
  return { kind, mean: decode(mean), weights: Float64Array.from(decode(weights)) };
}

function fromNearest({ kind, vectors, right }: Nearest): Static<typeof Examples> {
  const dimensions = vectors[0]?.length ?? 1;
  return { kind, dimensions, vectors: encode(vectors), right: [...right] };
}

function toNearest({ kind, dimensions, vectors, right }: Static<typeof Examples>): Nearest {
  const all = decode(vectors);
  const own = right.map((_, row) => all.slice(row * dimensions, (row + 1) * dimensions));
  return { kind, vectors: own, right };
}

/** As the processor has them: every platform of Nestor is little-endian. */
function encode(parts: readonly (Float32Array | Float64Array)[]): string {
  const numbers = parts.map((part) => Float32Array.from(part));
  const bytes = numbers.map(({ buffer }) => Buffer.from(buffer));
  return Buffer.concat(bytes).toString('base64');
}

function decode(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  const numbers = new Float32Array(Math.floor(bytes.length / 4));
  new Uint8Array(numbers.buffer).set(bytes.subarray(0, numbers.byteLength));
  return numbers;
}
