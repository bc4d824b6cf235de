import type { Api, Request } from './call.ts';

export interface List<Item> {
  readonly data: readonly Item[];
}

interface ListPage<Item> extends List<Item> {
  readonly next_page_token: string | null;
}

/** Items of one call, the most that a server gives. */
const pageItems = 1_000;

/** A list with all of its pages. */
export async function readAll<Item>(api: Api, { query, ...request }: Request): Promise<List<Item>> {
  const data: Item[] = [];
  for (let token: string | null | undefined; token !== null;) {
    const page = { ...query, limit: pageItems, page_token: token };
    const { body } = await api.call<ListPage<Item>>({ ...request, query: page });
    data.push(...body.data);
    token = body.next_page_token;
  }
  return { data };
}
