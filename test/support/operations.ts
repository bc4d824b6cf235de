import { operationsOf, type Services, type Settings } from '../../src/kernel/feature.ts';
import type { Operation } from '../../src/kernel/http/operation.ts';
import { features } from '../../src/server.ts';

/** Every operation of the API, as it is published. */
export function operations(settings: Settings): readonly Operation<Services>[] {
  return operationsOf(features, settings);
}
