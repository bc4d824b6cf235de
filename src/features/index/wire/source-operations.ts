import {
  created,
  defineOperation,
  ok,
  type Operation,
  type Principal,
} from '../../../kernel/http/operation.ts';
import { toList, listOf } from '../../accounts/feature.ts';
import type { Services } from '../../../kernel/feature.ts';
import type { IndexOwner } from '../check-source.ts';
import { toNewSource, toRemoval, toSource } from './convert.ts';
import {
  type AddSourceRequest,
  IndexSource,
  InSource,
  type OperatorAddSourceRequest,
  RemovedSource,
} from './source-schema.ts';

/** Where sources are looked after, and by whom. */
interface SourceSurface {
  readonly common: Pick<Operation<Services>, 'group' | 'credentials' | 'surface' | 'buckets'>;
  /** Of the list. */
  readonly path: string;
  /** Ids and summaries. */
  readonly names: Readonly<
    Record<'list' | 'add' | 'refresh' | 'remove', readonly [id: string, summary: string]>
  >;
  readonly body: typeof AddSourceRequest | typeof OperatorAddSourceRequest;
  readonly ownerOf: (principal: Principal | null) => IndexOwner;
}

const bytesMax = 1_048_576;

/** What `nestor index` does, over HTTP. */
export function sourceOperations({
  common,
  path,
  names: { list, add, refresh, remove },
  body: schema,
  ownerOf,
}: SourceSurface): readonly Operation<Services>[] {
  const one = `${path}/{source_id}`;
  return [
    defineOperation({
      ...common,
      id: list[0],
      summary: list[1],
      method: 'GET',
      paths: [path],
      responses: { 200: listOf(IndexSource) },
      async handle({ principal }, { index }: Services) {
        return ok(toList({ items: await index.list(ownerOf(principal)), next: null }, toSource));
      },
    }),
    defineOperation({
      ...common,
      id: add[0],
      summary: add[1],
      method: 'POST',
      paths: [path],
      body: { schema, bytesMax },
      responses: { 200: IndexSource, 201: IndexSource },
      async handle({ body, principal }, { index }: Services) {
        const { source, isNew } = await index.add(ownerOf(principal), toNewSource(body));
        return isNew ? created(toSource(source)) : ok(toSource(source));
      },
    }),
    defineOperation({
      ...common,
      id: refresh[0],
      summary: refresh[1],
      method: 'POST',
      paths: [`${one}/refresh`],
      params: InSource,
      responses: { 200: IndexSource },
      async handle({ params, principal }, { index }: Services) {
        return ok(toSource(await index.refresh(ownerOf(principal), params.source_id)));
      },
    }),
    defineOperation({
      ...common,
      id: remove[0],
      summary: remove[1],
      method: 'DELETE',
      paths: [one],
      params: InSource,
      responses: { 200: RemovedSource },
      async handle({ params, principal }, { index }: Services) {
        return ok(toRemoval(await index.remove(ownerOf(principal), params.source_id)));
      },
    }),
  ];
}
