import { invalidValue, type Fault } from '../../../../kernel/faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { quote } from '../../../../kernel/kit/text.ts';

/** Items of an input as they are shown, with an id each: their own, or the one that `idOf` gives. */
export function toShownItems(
  input: string | readonly Json[],
  idOf: (type: string, at: number) => string,
): readonly (JsonObject & { readonly id: string })[] {
  const items: readonly Json[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  return items.flatMap((item, at) => {
    if (!isJsonObject(item)) return [];
    const { type = 'message', id: sent } = item;
    const id =
      typeof sent === 'string' && sent !== '' ? sent : idOf(typeof type === 'string' ? type : '', at);
    const own = { ...item, type, id };
    return [
      type === 'message'
        ? { status: 'completed', ...own, content: toParts(item['content'] ?? '', item['role']) }
        : own,
    ];
  });
}

/** Of a page that is to begin behind an item that is not there: a list from its beginning would never end. */
export function unknownAfter(id: string): Fault {
  return invalidValue(`No item with id '${quote(id)}' found.`, 'after');
}

function toParts(content: Json, role: Json | undefined): Json {
  if (typeof content !== 'string') return content;
  return role === 'assistant'
    ? [{ type: 'output_text', text: content, annotations: [] }]
    : [{ type: 'input_text', text: content }];
}
