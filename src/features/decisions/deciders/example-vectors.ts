import { Fault } from '../../../kernel/faults.ts';
import type { Services } from '../../../kernel/feature.ts';
import type { VectorsKept } from '../learning/read-states.ts';
import type { VectorStore } from '../store/example-vectors.ts';
import type { OfDecider } from '../store/learning.ts';

/** Vectors of examples of a decider, of one version of what makes them. */
export type VectorsOf = <One extends { readonly id: string }>(
  of: OfDecider,
  features: string,
) => VectorsKept<One>;

/** Keeps vectors beside their examples, so that a fit finds them after a restart; not where the account has no room. */
export const createExampleVectors =
  (store: VectorStore, storageQuota: Pick<Services['storageQuota'], 'admit'>): VectorsOf =>
  (of, features) => ({
    async find(asked) {
      const known = await store.find(
        features,
        asked.map(({ id }) => id),
      );
      return new Map(
        asked.flatMap((one) => {
          const vectors = known.get(one.id);
          return vectors === undefined ? [] : [[one, vectors] as const];
        }),
      );
    },

    async put(made) {
      const rows = [...made].map(([{ id }, vectors]) => ({ exampleId: id, vectors }));
      const bytes = rows.reduce((sum, { vectors }) => sum + vectors.byteLength, 0);
      try {
        await storageQuota.admit(of.accountId, bytes);
      } catch (error) {
        if (error instanceof Fault && error.code === 'storage_quota_exceeded') return;
        throw error;
      }
      await store.put(of, features, rows);
    },
  });
