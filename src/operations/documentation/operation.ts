import { Type } from 'typebox';
import { Fault } from '../../faults.ts';
import { bytes, defineOperation, type Operation } from '../../http/operation.ts';
import type { Services } from '../services.ts';

/** The pages to which answers about Nestor itself cite: the Markdown that was indexed. Public, like the paths of health. */
export const documentationOperations: readonly Operation<Services>[] = [
  defineOperation({
    id: 'getDocument',
    summary: 'A page of the documentation of this server, as Markdown',
    group: 'service',
    method: 'GET',
    paths: ['/docs/guide/{page}', '/docs/{page}'],
    surface: 'plain',
    credentials: 'none',
    buckets: [],
    responses: { 200: Type.Unsafe({ type: 'string', contentMediaType: 'text/markdown' }) },
    async handle({ params }, { documentation }: Services) {
      const page = await documentation(params['page'] ?? '');
      if (page === null) throw new Fault('not_found', 'page not found');
      return bytes(page, 'text/markdown; charset=utf-8', {
        'cache-control': 'public, max-age=300',
        'x-content-type-options': 'nosniff',
      });
    },
  }),
];
