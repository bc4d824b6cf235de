import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { ExampleError } from '../../../kernel/commands/exit-codes.ts';
import { Strict } from '../../../kernel/kit/schema.ts';
import type { Head } from './fit-head.ts';
import type { Learned } from './head.ts';

/** 32-bit numbers in Base64, little-endian: a head of 77 options is 160 kB, and as digits six times as long. */
const Numbers = Type.String();
const Learnt = Type.Union([
  Strict({ kind: Type.Literal('linear'), mean: Numbers, weights: Numbers }),
  Strict({
    kind: Type.Literal('nearest'),
    dimensions: Type.Integer({ minimum: 1 }),
    vectors: Numbers,
    right: Type.Array(Type.Integer({ minimum: 0 })),
  }),
]);

const HeadsFile = Strict({
  version: Type.Literal(1),
  /** What the vectors are made with. */
  features: Type.String(),
  heads: Type.Array(
    Strict({ question: Type.String(), temperature: Type.Number({ exclusiveMinimum: 0 }), learned: Learnt }),
  ),
});
type HeadsFile = Static<typeof HeadsFile>;

const file = Compile(HeadsFile);

/** Replaces the file atomically. */
export function writeHeads(path: string, features: string, heads: ReadonlyMap<string, Head>): void {
  const content: HeadsFile = {
    version: 1,
    features,
    heads: [...heads].map(([question, { temperature, learned }]) => ({
      question,
      temperature,
      learned: toFile(learned),
    })),
  };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(content)}\n`, { mode: 0o600, flush: true });
  renameSync(temporary, path);
}

/** Throws ExampleError, one line that names the file. */
export function readHeads(path: string, features: string | undefined): ReadonlyMap<string, Head> {
  const refuse = (reason: string) => new ExampleError(`learned ${path}: ${reason}`);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refuse(error instanceof SyntaxError ? 'not valid JSON' : 'cannot be read');
  }
  if (!file.Check(value)) throw refuse('not a file of "nestor learn"');
  if (features === undefined) throw refuse('the engine that answers has no vectors; the engine encoder has');
  if (value.features !== features)
    throw refuse('learned with another version of the encoder; learn again with "nestor learn"');
  return new Map(
    value.heads.map(({ question, temperature, learned }) => [
      question,
      { temperature, learned: fromFile(learned) },
    ]),
  );
}

function toFile(learned: Learned): Static<typeof Learnt> {
  if (learned.kind === 'linear')
    return { kind: 'linear', mean: encode(learned.mean), weights: encode(learned.weights) };
  const dimensions = learned.vectors[0]?.length ?? 1;
  const all = learned.vectors.flatMap((vector) => [...vector]);
  return { kind: 'nearest', dimensions, vectors: encode(all), right: [...learned.right] };
}

function fromFile(learned: Static<typeof Learnt>): Learned {
  if (learned.kind === 'linear')
    return {
      kind: 'linear',
      mean: decode(learned.mean),
      weights: Float64Array.from(decode(learned.weights)),
    };
  const all = decode(learned.vectors);
  const { dimensions, right } = learned;
  const vectors = right.map((_, row) => all.slice(row * dimensions, (row + 1) * dimensions));
  return { kind: 'nearest', vectors, right };
}

function encode(numbers: Iterable<number>): string {
  const values = [...numbers];
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString('base64');
}

function decode(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4));
}
