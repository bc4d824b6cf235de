import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../kernel/kit/json.ts';
import { createHubTokenizer } from './library.ts';
import { readSettings } from './model-folder.ts';
import { OnnxProblem } from './problem.ts';
import type { Control, Row, RowText } from './row.ts';

export type Tokenize = (row: RowText) => Row;

/** Reads tokenizer.json. What looks like a control token in a text stays text. Throws OnnxProblem. */
export async function openTokenizer(folder: string): Promise<Tokenize> {
  const settings = (await readSettings(folder, 'tokenizer_config.json')) ?? {};
  const tokenizer = await createTokenizer(await readFile(join(folder, 'tokenizer.json'), 'utf8'), settings);
  const special = [...tokenizer.get_added_tokens_decoder().values()]
    .filter(({ special: isSpecial, content }) => isSpecial && content.length > 1)
    .map(({ content }) => content);
  const idOf = (control: string) => {
    const id = tokenizer.token_to_id(control);
    if (id === undefined) throw new OnnxProblem(`tokenizer.json has no token ${control}`);
    return id;
  };
  return ({ text, pair, isBare = false, questionKind }) => {
    const parts = joined(typeof text === 'string' ? [text] : text).map((part) =>
      typeof part === 'string' ? part : { ...part, control: roleOf(settings, part.control) },
    );
    const named = parts
      .filter((part) => typeof part !== 'string')
      .map((part) => ({ ...part, id: idOf(part.control) }));
    const marked = new Set(named.filter(({ isMark }) => isMark).map(({ id }) => id));
    const controls = [...special, ...named.map(({ control }) => control)];
    const written = parts
      .map((part) => (typeof part === 'string' ? breakControls(part, controls) : part.control))
      .join('');
    const { ids, token_type_ids: types } = tokenizer.encode(written, {
      text_pair: pair === null ? null : breakControls(pair, controls),
      add_special_tokens: !isBare,
      return_token_type_ids: true,
    });
    return {
      ids,
      types: types ?? ids.map(() => 0),
      ...(marked.size > 0 && { marks: ids.flatMap((id, index) => (marked.has(id) ? [index] : [])) }),
      ...(questionKind !== undefined && { questionKind }),
    };
  };
}

/** Texts beside each other as one: a control token must not come about where they meet. */
function joined(parts: readonly (string | Control)[]): readonly (string | Control)[] {
  const whole: (string | Control)[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (typeof part === 'string' && typeof last === 'string') whole[whole.length - 1] = last + part;
    else whole.push(part);
  }
  return whole;
}

const roles = new Set(['cls', 'sep', 'mask']);

function roleOf(settings: JsonObject, control: string): string {
  if (!roles.has(control)) return control;
  const token = settings[`${control}_token`];
  const content = isJsonObject(token) ? token['content'] : token;
  if (typeof content === 'string') return content;
  throw new OnnxProblem(`tokenizer_config.json names no ${control}_token`);
}

async function createTokenizer(json: string, settings: object) {
  try {
    return await createHubTokenizer(JSON.parse(json) as object, settings);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OnnxProblem(`tokenizer.json cannot be used: ${reason.replaceAll(/\s+/g, ' ')}`);
  }
}

/** Puts a blank behind the first character of each control token. */
function breakControls(text: string, controls: readonly string[]): string {
  return controls.reduce((result, token) => {
    if (!result.includes(token)) return result;
    const [first = ''] = token;
    return result.replaceAll(token, () => `${first} ${token.slice(first.length)}`);
  }, text);
}
