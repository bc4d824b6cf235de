import type { HostLookup } from '../../src/kernel/kit/guard-dns.ts';

export interface ScriptedDns {
  readonly lookup: HostLookup;
  /** Names that were looked up, in order. */
  readonly asked: readonly string[];
}

/** A name service: the n-th look-up of a name gets its n-th answer, and the last one from then on. */
export function scriptedDns(answers: Readonly<Record<string, readonly (readonly string[])[]>>): ScriptedDns {
  const asked: string[] = [];
  const counts = new Map<string, number>();
  return {
    asked,
    lookup: (host) => {
      asked.push(host);
      const count = counts.get(host) ?? 0;
      counts.set(host, count + 1);
      const script = answers[host] ?? [];
      const answer = script[Math.min(count, script.length - 1)];
      return answer === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(answer);
    },
  };
}
