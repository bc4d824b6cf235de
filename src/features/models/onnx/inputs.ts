import type { OnnxLibrary, OnnxSession, TensorType } from './library.ts';
import { OnnxProblem } from './problem.ts';
import type { Row } from './row.ts';

interface Input {
  readonly type: TensorType;
  readonly dims: readonly number[];
  readonly values: readonly number[];
}

const row = (values: readonly number[]): Input => ({ type: 'int64', dims: [1, values.length], values });

/** Every input of every kind of model, by its name. */
const made: Readonly<Record<string, (row: Row) => Input>> = {
  input_ids: ({ ids }) => row(ids),
  attention_mask: ({ ids }) => row(ids.map(() => 1)),
  token_type_ids: ({ types }) => row(types),
  position_ids: ({ ids }) => row(ids.map((_, index) => index)),
  marker_pos: ({ marks = [] }) => row(marks),
  marker_mask: ({ marks = [] }) => ({ ...row(marks.map(() => 1)), type: 'bool' }),
  qtype: ({ questionKind = 0 }) => ({ type: 'int64', dims: [1], values: [questionKind] }),
};

/** Rows of one length below each other. */
function together(rows: readonly Input[]): Input {
  const [first = row([]), ...others] = rows;
  if (others.length === 0) return first;
  const dims = [rows.length, ...first.dims.slice(1)];
  return { ...first, dims, values: rows.flatMap(({ values }) => values) };
}

/** What every input is fed with, for rows of one length. Throws OnnxProblem for one of another kind of model. */
export function feederOf(
  { Tensor }: OnnxLibrary,
  { inputNames, inputMetadata }: OnnxSession,
): (rows: readonly Row[]) => Record<string, unknown> {
  const strange = inputNames.filter((name) => !Object.hasOwn(made, name));
  if (strange.length > 0 || !inputNames.includes('input_ids'))
    throw new OnnxProblem(
      `the graph reads ${inputNames.join(', ')}; known are ${Object.keys(made).join(', ')}, of which input_ids is needed`,
    );
  const narrow = new Set(inputMetadata?.filter(({ type }) => type === 'int32').map(({ name }) => name));
  return (asked) =>
    Object.fromEntries(
      inputNames.map((name) => {
        const { type, dims, values } = together(asked.map((one) => made[name]?.(one) ?? row([])));
        const tensor = narrow.has(name)
          ? new Tensor('int32', Int32Array.from(values), dims)
          : new Tensor(type, toData(type, values), dims);
        return [name, tensor];
      }),
    );
}

const toData = (type: TensorType, values: readonly number[]) =>
  type === 'bool' ? Uint8Array.from(values) : BigInt64Array.from(values, BigInt);
