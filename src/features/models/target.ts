import type { OfferedModel, Provider } from './model.ts';

/** A target of an own name, as configured: `auto` or `provider/model`. */
export interface Target {
  readonly model: string;
  /** Weighted neighbours in a list share one place in it; null has a place of its own. */
  readonly weight: number | null;
}

/** A provider as the registry keeps it. */
export interface ProviderEntry {
  readonly provider: Provider;
  /** Whether its models are the server's own list, not the operator's. */
  readonly asked: boolean;
  /** In a list of the server, the models that `auto` prefers. */
  readonly prefer: RegExp | null;
}

/** One model of one provider: the unit of breakers and weights. */
export interface Backend {
  /** `provider/model`. */
  readonly id: string;
  readonly provider: Provider;
  readonly offered: OfferedModel;
}

/** Backends of one place in a list; calls are spread over them by weight. */
export interface Rank {
  readonly key: string;
  readonly members: readonly { readonly backend: Backend; readonly weight: number }[];
}

/** Lists of targets as places: neighbours with weights form one, all others stand alone. */
export function toPlaces(targets: readonly Target[]): readonly (readonly Target[])[] {
  const places: Target[][] = [];
  let weighted: Target[] | null = null;
  for (const target of targets) {
    if (target.weight === null) {
      weighted = null;
      places.push([target]);
    } else if (weighted === null) {
      weighted = [target];
      places.push(weighted);
    } else weighted.push(target);
  }
  return places;
}
