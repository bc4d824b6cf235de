import { isList } from '../../kernel/kit/json-fields.ts';
import { parseExact, isExactNumber } from '../../kernel/kit/json-exact.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/kit/json.ts';
import {
  joinBlocks,
  levelMax,
  rowsMax,
  toHeading,
  writeFields,
  writeRecord,
  writeTable,
  type Field,
} from './records.ts';

const columnsMax = 40;
const pathUnitsMax = 100;

/** What a file of JSON holds as Markdown in which each entry can be read alone; null for what is no JSON, or one value. */
export function jsonToMarkdown(text: string): string | null {
  try {
    const value = parseExact(text);
    if (!isList(value) && !isObject(value)) return null;
    return joinBlocks(write(value, 2)) || null;
  } catch {
    // Also nesting beyond the stack.
    return null;
  }
}

const isObject = (value: Json): value is JsonObject => isJsonObject(value) && !isExactNumber(value);

function* write(value: JsonObject | readonly Json[], level: number): Generator<string> {
  if (isList(value)) {
    yield* writeEntries(value, level);
    return;
  }
  const members = Object.entries(value);
  const isSection = (member: Json): member is JsonObject | readonly Json[] =>
    level <= levelMax && (isList(member) ? member.some(isObject) : isObject(member));
  yield* writeFields(members.flatMap(([name, member]) => (isSection(member) ? [] : fieldsOf(member, name))));
  for (const [name, member] of members) {
    if (!isSection(member)) continue;
    yield toHeading(name, level);
    yield* write(member, level + 1);
  }
}

/** As a table where entries have the same names. */
function* writeEntries(entries: readonly Json[], level: number): Generator<string> {
  if (!entries.some(isObject)) {
    yield* writeFields(entries.slice(0, rowsMax).flatMap((entry) => fieldsOf(entry, '')));
    return;
  }
  const rows = entries.slice(0, rowsMax).map((entry) => new Map(fieldsOf(entry, '')));
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const cells = rows.reduce((sum, row) => sum + row.size, 0);
  if (columns.length <= columnsMax && cells * 2 >= columns.length * rows.length) {
    yield* writeTable(
      { columns, rows: rows.map((row) => columns.map((name) => row.get(name) ?? '')) },
      level,
    );
  } else for (const row of rows) yield* writeRecord([...row], level);
}

/** The values below, by their paths; those of lists together. */
function fieldsOf(value: Json, path: string): readonly Field[] {
  const found = new Map<string, string>();
  const walk = (one: Json, name: string): void => {
    if (isList(one)) for (const part of one) walk(part, name);
    else if (isObject(one))
      // A path is cut, so that nesting does not multiply what is read.
      for (const [key, part] of Object.entries(one))
        walk(part, name === '' || name.length > pathUnitsMax ? name || key : `${name}.${key}`);
    else if (one !== null && one !== '') {
      const told = typeof one === 'string' ? one : JSON.stringify(one);
      const before = found.get(name);
      found.set(name, before === undefined ? told : `${before}, ${told}`);
    }
  };
  walk(value, path);
  return [...found];
}
