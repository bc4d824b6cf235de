import { isRecord } from '../../api/failure.ts';
import { parseTable, type Table } from '../decide/csv.ts';
import { answerProblem, questionProblem, type Question } from './question.ts';
import type { Example } from './wire.ts';
import { parseWithDigits } from '../../parts/written-number.ts';

/** One row of a file: an example, or what is wrong with it. */
export type ReadRow =
  | { readonly row: number; readonly example: Example; readonly problem?: never }
  | { readonly row: number; readonly problem: string; readonly example?: never };

/** Columns of a table, and what is asked about its rows. */
export interface TableMeaning {
  readonly stateColumn: number;
  readonly answerColumn: number;
  readonly question: Question;
}

/** A file of JSON lines begins with an object; everything else is read as a table with names of its columns. */
export function isJsonLines(text: string): boolean {
  return text.trimStart().startsWith('{');
}

/** One example a line, as `nestor eval` reads them; `row` is the number of the line. */
export function readJsonLines(text: string): readonly ReadRow[] {
  const rows: ReadRow[] = [];
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries())
    if (line.trim() !== '') rows.push({ row: index + 1, ...readLine(line) });
  return rows;
}

/** The rows of a table; `row` counts those below the names of the columns. */
export function readTable(table: Table, meaning: TableMeaning): readonly ReadRow[] {
  const { stateColumn, answerColumn, question } = meaning;
  return table.rows.map((cells, index) => {
    const state = cells[stateColumn]?.trim() ?? '';
    const answer = toAnswer(question, cells[answerColumn]?.trim() ?? '');
    if (state === '') return { row: index + 1, problem: 'the text is empty' };
    const problem = answerProblem(question, answer);
    return problem === null
      ? { row: index + 1, example: { state, question, answer: answer as Example['answer'] } }
      : { row: index + 1, problem };
  });
}

export function readNamedTable(text: string): Table {
  return parseTable(text, true);
}

const stateNames = ['text', 'state', 'message', 'input', 'question', 'utterance'];
const answerNames = ['category', 'answer', 'label', 'intent', 'class', 'topic'];

/** The columns that are most likely meant, by their names and else by their places: text first, answer last. */
export function likelyColumns({ columns }: Table): Pick<TableMeaning, 'stateColumn' | 'answerColumn'> {
  const at = (names: readonly string[]) =>
    columns.findIndex((column) => names.includes(column.trim().toLowerCase()));
  const answerColumn = at(answerNames) >= 0 ? at(answerNames) : columns.length - 1;
  const stateColumn = at(stateNames) >= 0 ? at(stateNames) : answerColumn === 0 ? 1 : 0;
  return { stateColumn, answerColumn };
}

/** A question whose answers the column holds: a noul where all are yes or no, else a choice between them. */
export function likelyQuestion(table: Table, answerColumn: number): Question {
  const answers = new Set(table.rows.map((cells) => cells[answerColumn]?.trim() ?? ''));
  answers.delete('');
  const isNoul = answers.size > 0 && [...answers].every((answer) => yesOrNo.has(answer.toLowerCase()));
  if (isNoul) return { type: 'noul' };
  return { type: 'choice', criteria: Object.fromEntries([...answers].map((answer) => [answer, null])) };
}

const yesOrNo = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

function toAnswer({ type }: Question, cell: string): unknown {
  if (type === 'noul') return yesOrNo.get(cell.toLowerCase()) ?? cell;
  if (type === 'score') return /^\d{1,2}$/.test(cell) ? Number(cell) : cell;
  return cell;
}

function readLine(line: string): { readonly example: Example } | { readonly problem: string } {
  let value: unknown;
  try {
    value = parseWithDigits(line);
  } catch {
    return { problem: 'not valid JSON' };
  }
  if (!isRecord(value)) return { problem: 'not an object with state, question and answer' };
  const { state, question, answer } = value;
  for (const name of ['state', 'question', 'answer'])
    if (!Object.hasOwn(value, name)) return { problem: `"${name}" is missing` };
  if (typeof state !== 'string' && (typeof state !== 'object' || state === null))
    return { problem: 'the state is no text, object or list' };
  const problem = questionProblem(question) ?? answerProblem(question as Question, answer);
  if (problem !== null) return { problem };
  return { example: { state, question: question as Question, answer: answer as Example['answer'] } };
}

/** Examples of one call, and letters of all of them: the server takes 16 MiB. */
const rowsMax = 1_000;
const lettersMax = 4_000_000;

/** In portions that one call takes. */
export function toPortions(examples: readonly Example[]): readonly (readonly Example[])[] {
  const portions: Example[][] = [];
  let letters = 0;
  for (const example of examples) {
    const length = JSON.stringify(example).length;
    const last = portions.at(-1);
    if (last === undefined || last.length === rowsMax || letters + length > lettersMax) {
      portions.push([example]);
      letters = length;
    } else {
      last.push(example);
      letters += length;
    }
  }
  return portions;
}
