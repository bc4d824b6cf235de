import { Type, type Static, type TObject } from 'typebox';
import { textOf } from '../../../../kernel/kit/json-fields.ts';
import { invalidValue, type Fault } from '../../../../kernel/faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { quote } from '../../../../kernel/kit/text.ts';

export type ShownItem = JsonObject & { readonly id: string };

/** Items of an input as they are shown, with an id each: their own, or the one that `idOf` gives. */
export function toShownItems(
  input: string | readonly Json[],
  idOf: (type: string, at: number) => string,
): readonly ShownItem[] {
  const items: readonly Json[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  return items.flatMap((item, at) => {
    if (!isJsonObject(item)) return [];
    const { type = 'message', id: sent } = item;
    const id = typeof sent === 'string' && sent !== '' ? sent : idOf(textOf(type), at);
    const own = { ...item, type, id };
    return [
      type === 'message'
        ? { status: 'completed', ...own, content: toParts(item['content'] ?? '', item['role']) }
        : own,
    ];
  });
}

/** The query of a page of items. */
export const itemsQuery = {
  after: Type.Optional(Type.String({ description: 'Only items behind the one with this id.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: '20 by default.' })),
  order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
};

export function readItemsQuery(query: Static<TObject<typeof itemsQuery>>) {
  const { after = null, limit = 20, order = 'desc' } = query;
  return { after, limit, order };
}

export function toItemsPage(items: readonly ShownItem[], hasMore: boolean) {
  return {
    object: 'list' as const,
    data: items,
    first_id: items[0]?.id ?? null,
    last_id: items.at(-1)?.id ?? null,
    has_more: hasMore,
  };
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
