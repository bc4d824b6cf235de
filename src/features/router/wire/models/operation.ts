import type { Static } from 'typebox';
import { Fault } from '../../../../kernel/faults.ts';
import { defineOperation, ok, type Operation } from '../../../../kernel/http/operation.ts';
import { routerCommon, type RouterServices } from '../router.ts';
import { toPricing, type CatalogEntry } from '../../../models/feature.ts';
import { RouterModel, RouterModelList, RouterModelParams } from './schema.ts';

const common = { ...routerCommon, method: 'GET', surface: 'router', buckets: [] } as const;

/** The models of the router, in one body for the clients of both families. Contract 14.6. */
export const routerModelsOperations: readonly Operation<RouterServices>[] = [
  defineOperation({
    ...common,
    id: 'listRouterModels',
    summary: 'Lists the models of the router',
    paths: ['/router/v1/models'],
    responses: { 200: RouterModelList },
    handle: (_call, { models }: RouterServices) =>
      ok(fromEntries(models.list().filter(({ router }) => router))),
  }),
  defineOperation({
    ...common,
    id: 'getRouterModel',
    summary: 'Describes one model of the router',
    paths: ['/router/v1/models/{provider}/{name}'],
    params: RouterModelParams,
    responses: { 200: RouterModel },
    handle({ params }, { models }: RouterServices) {
      const entry = models.find(`${params.provider}/${params.name}`);
      if (!entry?.router) throw new Fault('not_found');
      return ok(fromEntry(entry));
    },
  }),
];

function fromEntry(entry: CatalogEntry): Static<typeof RouterModel> {
  const { id, created, displayName, ownedBy, price } = entry;
  return {
    id,
    object: 'model',
    type: 'model',
    created,
    created_at: new Date(created * 1_000).toISOString().replace('.000Z', 'Z'),
    display_name: displayName,
    owned_by: ownedBy,
    pricing: toPricing(price),
  };
}

function fromEntries(entries: readonly CatalogEntry[]): Static<typeof RouterModelList> {
  const data = entries.map(fromEntry);
  return {
    object: 'list',
    data,
    has_more: false,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}
