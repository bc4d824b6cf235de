import { created, defineOperation, ok, type Operation } from '../../../../kernel/http/operation.ts';
import { toList, listOf } from '../../../accounts/feature.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { toNewSource, toRemoval, toSource } from './convert.ts';
import { AddSourceRequest, IndexSource, InSource, RemovedSource } from './schema.ts';

const common = { group: 'admin', credentials: 'admin', surface: 'plain', buckets: [] } as const;
const bytesMax = 1_048_576;
const sourcesPath = '/admin/v1/index/sources';
const sourcePath = '/admin/v1/index/sources/{source_id}';

/** What `nestor index` does, over HTTP: folders are those of the server, so only the operator may name them. */
export function adminIndexOperations({ admin }: Settings): readonly Operation<Services>[] {
  return admin ? indexOperations : [];
}

const indexOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'adminListIndexSources',
    summary: 'Lists the sources of the index with their documents and what is being read, oldest first',
    method: 'GET',
    paths: [sourcesPath],
    responses: { 200: listOf(IndexSource) },
    async handle(_call, { index }: Services) {
      return ok(toList({ items: await index.list(), next: null }, toSource));
    },
  }),
  defineOperation({
    ...common,
    id: 'adminAddIndexSource',
    summary: 'Adds a folder or an address to the index, or changes its options, and begins to read it',
    method: 'POST',
    paths: [sourcesPath],
    body: { schema: AddSourceRequest, bytesMax },
    responses: { 200: IndexSource, 201: IndexSource },
    async handle({ body }, { index }: Services) {
      const { source, isNew } = await index.add(toNewSource(body));
      return isNew ? created(toSource(source)) : ok(toSource(source));
    },
  }),
  defineOperation({
    ...common,
    id: 'adminRefreshIndexSource',
    summary: 'Begins to read what changed in a source; the list tells how far it is',
    method: 'POST',
    paths: [`${sourcePath}/refresh`],
    params: InSource,
    responses: { 200: IndexSource },
    async handle({ params }, { index }: Services) {
      return ok(toSource(await index.refresh(params.source_id)));
    },
  }),
  defineOperation({
    ...common,
    id: 'adminRemoveIndexSource',
    summary: 'Removes a source and all of its documents from the index',
    method: 'DELETE',
    paths: [sourcePath],
    params: InSource,
    responses: { 200: RemovedSource },
    async handle({ params }, { index }: Services) {
      return ok(toRemoval(await index.remove(params.source_id)));
    },
  }),
];
