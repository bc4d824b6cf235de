/** Length that an entry counts beside its text. */
const entryLength = 200;

export type Signatures = ReturnType<typeof createSignatures>;

/**
 * Keeps signatures of calls, under the id by which the caller knows the call. Some models refuse a result without the
 * signature of its call, and no client of these interfaces carries it. In memory only: after a restart a conversation
 * goes on without its thoughts. The oldest ones go when all together exceed `lengthMax`. Unit: UTF-16 units.
 */
export function createSignatures(lengthMax = 33_554_432) {
  const kept = new Map<string, string>();
  let length = 0;
  const drop = (key: string) => {
    const signature = kept.get(key);
    if (signature === undefined) return;
    kept.delete(key);
    length -= key.length + signature.length + entryLength;
  };
  return {
    keep(account: string, id: string, signature: string): void {
      const key = `${account}\n${id}`;
      drop(key);
      kept.set(key, signature);
      length += key.length + signature.length + entryLength;
      for (const oldest of kept.keys()) {
        if (length <= lengthMax) break;
        drop(oldest);
      }
    },
    find: (account: string, id: string): string | null => kept.get(`${account}\n${id}`) ?? null,
  };
}
