import type { DecisionEngine } from '../engine.ts';

/** Resolves to an engine that ships, by its name. */
export type OpenShipped = (name: string) => Promise<DecisionEngine>;

export interface ShippedEngines {
  readonly open: OpenShipped;
  close(): Promise<void>;
}

/** Opens each engine with the first who asks it, for all. One that fails is tried again with the next. */
export function createShippedEngines(open: OpenShipped): ShippedEngines {
  const opening = new Map<string, Promise<DecisionEngine>>();
  return {
    open(name) {
      const known = opening.get(name);
      if (known !== undefined) return known;
      const engine = open(name);
      opening.set(name, engine);
      engine.catch(() => opening.delete(name));
      return engine;
    },
    async close() {
      for (const engine of opening.values()) await engine.then((opened) => opened.close()).catch(() => {});
    },
  };
}
