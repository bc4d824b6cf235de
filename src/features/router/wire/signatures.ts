/**
 * Signatures of calls between the reply with a call and the request with its result. Some models refuse a
 * result without the signature of its call, and no client of these interfaces carries it. In memory only: after a
 * restart such a conversation goes on without its thoughts, as with any client that lost them.
 */
export interface Signatures {
  /** Under the id by which the caller knows the call. */
  keep(account: string, id: string, signature: string): void;
  find(account: string, id: string): string | null;
}

const lengthMaxDefault = 33_554_432;
/** Length that an entry counts beside its text. */
const entryLength = 200;

/** The oldest ones go when the lengths of all together exceed `lengthMax`. Unit: UTF-16 units. */
export function createSignatures(lengthMax = lengthMaxDefault): Signatures {
  const kept = new Map<string, string>();
  let length = 0;
  const drop = (key: string) => {
    const signature = kept.get(key);
    if (signature === undefined) return;
    kept.delete(key);
    length -= key.length + signature.length + entryLength;
  };
  return {
    keep(account, id, signature) {
      const key = `${account}\n${id}`;
      drop(key);
      kept.set(key, signature);
      length += key.length + signature.length + entryLength;
      for (const oldest of kept.keys()) {
        if (length <= lengthMax) break;
        drop(oldest);
      }
    },
    find: (account, id) => kept.get(`${account}\n${id}`) ?? null,
  };
}
