import { adapters } from '../../src/features/decisions/engines/onnx/adapters/index.ts';
import type { NormalizedQuestion } from '../../src/features/decisions/engine.ts';
import { readModelFolder } from '../../src/features/models/onnx/model-folder.ts';
import type { Row, RowText } from '../../src/features/models/onnx/row.ts';
import { openBoth } from '../../src/features/models/onnx/thread-job.ts';
import type { OnnxModel } from '../../src/features/models/feature.ts';

const caller = { signal: new AbortController().signal, account: 'bench' };

/** A decision model without anything around it: no server, no queue, no thread. */
export interface BareDecider {
  readonly runtime: string;
  readonly adapter: string;
  /** Texts of the rows that a decision costs when what can be kept of its questions was kept before. */
  rowsOf(state: string, questions: readonly NormalizedQuestion[]): Promise<readonly RowText[]>;
  /** Tokenizes rows and evaluates them one after the other. Returns how many tokens they have. */
  read(rows: readonly RowText[]): Promise<number>;
}

/** Which rows there are says the adapter that asks the model in Nestor; they are noted while it asks. */
export async function openBareDecider(path: string): Promise<BareDecider> {
  const folder = await readModelFolder(path);
  const { tokenize, graph } = await openBoth(folder);
  const texts = new WeakMap<Row, RowText>();
  let noted: RowText[] = [];
  const model: OnnxModel = {
    ...folder,
    kind: graph.kind,
    runtime: graph.runtime,
    dimensions: (await graph.run(graph.sample)).length,
    memoryBytes: 0,
    sample: null,
    tokenize: (asked) =>
      Promise.resolve(
        asked.map((text) => {
          const row = tokenize(text);
          texts.set(row, text);
          return row;
        }),
      ),
    run(rows) {
      noted.push(...rows.flatMap((row) => texts.get(row) ?? []));
      return Promise.all(rows.map((row) => graph.run(row)));
    },
    close: () => Promise.resolve(),
  };
  const adapter = adapters.find((one) => one.suits(model));
  if (adapter === undefined) throw new Error(`no adapter asks ${path}`);
  const reader = adapter.open(model);
  return {
    runtime: graph.runtime,
    adapter: adapter.name,
    async rowsOf(state, questions) {
      await reader.score(['Something else.'], questions, caller);
      noted = [];
      await reader.score([state], questions, caller);
      return noted;
    },
    async read(rows) {
      let tokens = 0;
      for (const text of rows) {
        const row = tokenize(text);
        tokens += row.ids.length;
        await graph.run(row);
      }
      return tokens;
    },
  };
}
