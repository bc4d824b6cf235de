import { Type, type Static } from 'typebox';

const itemsDefault = 50;

/** The query of a list whose pages `kit/page-tokens` continues. */
export const PageQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, description: `Items of a page, ${itemsDefault} by default.` }),
  ),
  page_token: Type.Optional(
    Type.String({ minLength: 1, description: '`next_page_token` of the page before.' }),
  ),
});

/** As `next_page_token` in the answer. */
export const NextPage = Type.Optional(Type.String({ description: 'Absent on the last page.' }));

export function readPageQuery(query: Static<typeof PageQuery>) {
  const { limit = itemsDefault, page_token: token = null } = query;
  return { limit, token };
}

export function toNextPage(nextToken: string | null): { readonly next_page_token?: string } {
  return nextToken === null ? {} : { next_page_token: nextToken };
}
