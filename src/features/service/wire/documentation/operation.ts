import { Type } from 'typebox';
import { Fault } from '../../../../kernel/faults.ts';
import { bytes, defineOperation, type Operation, type Reply } from '../../../../kernel/http/operation.ts';
import type { Services } from '../../../../kernel/feature.ts';

const common = {
  group: 'service',
  method: 'GET',
  surface: 'plain',
  credentials: 'none',
  buckets: [],
  params: Type.Object({
    page: Type.String({ description: 'Its name without extension, such as `agent`.' }),
  }),
  responses: { 200: Type.Unsafe({ type: 'string', contentMediaType: 'text/markdown' }) },
} as const;

/** The pages to which answers about Nestor itself cite: the Markdown that was indexed. Public, like the paths of health. */
export const documentationOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'getDocument',
    summary: 'A page of the documentation of this server, as Markdown',
    paths: ['/docs/guide/{page}', '/docs/{page}'],
    handle: ({ params }, services: Services) => toPage(params.page, services),
  }),
  defineOperation({
    ...common,
    id: 'getReferencePage',
    summary: 'A page of the reference of the operations, as Markdown',
    paths: ['/docs/reference/{page}'],
    handle: ({ params }, services: Services) => toPage(`reference/${params.page}`, services),
  }),
];

async function toPage(name: string, { documentation }: Services): Promise<Reply> {
  const page = await documentation(name);
  if (page === null) throw new Fault('not_found', 'page not found');
  return bytes(page, 'text/markdown; charset=utf-8', {
    'cache-control': 'public, max-age=300',
    'x-content-type-options': 'nosniff',
  });
}
