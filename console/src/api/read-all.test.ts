import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api, Request } from './call.ts';
import { readAll } from './read-all.ts';

test('a list is read to its last page', async () => {
  const asked: Request['query'][] = [];
  const pages = [
    { data: [1, 2], next_page_token: 'more' },
    { data: [3], next_page_token: null },
  ];
  const call = (request: Request) => {
    asked.push(request.query);
    return Promise.resolve({ body: pages[asked.length - 1], headers: new Headers() });
  };
  const list = await readAll<number>({ call } as unknown as Api, { path: '/x', query: { by: 'day' } });
  assert.deepEqual(list.data, [1, 2, 3]);
  assert.deepEqual(asked, [
    { by: 'day', limit: 1_000, page_token: undefined },
    { by: 'day', limit: 1_000, page_token: 'more' },
  ]);
});
