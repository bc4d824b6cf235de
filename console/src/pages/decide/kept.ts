import { defaultEngine } from './engine-names.ts';
import { examples } from './examples.ts';
import type { Outcome } from './batch.ts';
import type { QuestionDraft, Value } from './draft.ts';

/** Everything that somebody wrote on the page, so that a reload or another page in between loses nothing. */
export interface Work {
  readonly about: 'one' | 'table';
  readonly state: Value;
  readonly questions: readonly QuestionDraft[];
  /** The questions while they are written as JSON; null while the form shows them. */
  readonly questionsJson: string | null;
  readonly engine: string;
  /** Asked beside `engine`; null where nothing is compared. */
  readonly otherEngine: string | null;
  readonly table: TableWork;
}

export interface TableWork {
  readonly fileName: string | null;
  readonly text: string;
  readonly hasHeader: boolean;
  /** Columns that make the state. */
  readonly chosen: readonly number[];
  /** What `outcomes` were asked with: the JSON of model and questions, and the columns. */
  readonly askedWith: string | null;
  readonly outcomes: readonly (Outcome | null)[];
}

export const emptyTable: TableWork = {
  fileName: null,
  text: '',
  hasHeader: true,
  chosen: [],
  askedWith: null,
  outcomes: [],
};

const storageName = 'nestor.decide';
/** Another shape gets another number, and work of an older page is dropped. */
const version = 1;
/** Browsers keep two bytes for each: this is 1 MB. */
const lettersMax = 500_000;

/** What a newcomer finds: something that can be asked at once. */
export function firstWork(): Work {
  const [{ state, questions } = { state: { text: '', isJson: false }, questions: [] }] = examples;
  return {
    about: 'one',
    state,
    questions,
    questionsJson: null,
    engine: defaultEngine,
    otherEngine: null,
    table: emptyTable,
  };
}

/** Keeps as much as fits. Returns what was too large to be kept: nothing, the answers to a table, it all. */
export function keepWork(
  storage: Pick<Storage, 'setItem' | 'removeItem'>,
  work: Work,
): 'nothing' | 'answers' | 'table' | 'all' {
  const answerless = { ...work, table: { ...work.table, askedWith: null, outcomes: [] } };
  const tableless = { ...work, table: { ...emptyTable, hasHeader: work.table.hasHeader } };
  for (const [left, kept] of [
    ['nothing', work],
    ['answers', answerless],
    ['table', tableless],
  ] as const) {
    const text = JSON.stringify({ version, work: kept });
    if (text.length > lettersMax) continue;
    try {
      storage.setItem(storageName, text);
      return left;
    } catch {
      // The browser keeps less than that.
    }
  }
  storage.removeItem(storageName);
  return 'all';
}

export function dropWork(storage: Pick<Storage, 'removeItem'>): void {
  storage.removeItem(storageName);
}

/** What was kept in this tab; null when there is nothing, or nothing that this page understands. */
export function readWork(storage: Pick<Storage, 'getItem'>): Work | null {
  try {
    const kept = JSON.parse(storage.getItem(storageName) ?? 'null') as {
      version?: unknown;
      work?: Work;
    } | null;
    return kept?.version === version && kept.work !== undefined ? { ...firstWork(), ...kept.work } : null;
  } catch {
    return null;
  }
}
