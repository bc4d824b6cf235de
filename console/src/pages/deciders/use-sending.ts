import { useState } from 'react';
import { useSession } from '../../session.tsx';
import { toPortions } from './read-examples.ts';
import { pathOf, type Example } from './wire.ts';

interface UsedSending {
  /** How many were sent so far; null while nothing is being sent. */
  readonly progress: number | null;
  readonly failure: unknown;
  readonly send: (examples: readonly Example[]) => Promise<void>;
}

/** Sends examples in portions; what was sent before a failure stays sent. `onSent` is told how many that was. */
export function useSending(name: string, onSent: (count: number) => void): UsedSending {
  const { api } = useSession();
  const [progress, setProgress] = useState<number | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const send = async (examples: readonly Example[]): Promise<void> => {
    setFailure(null);
    let sent = 0;
    try {
      for (const portion of toPortions(examples)) {
        setProgress(sent);
        await api.call({ path: `${pathOf(name)}/examples`, body: { examples: portion } });
        sent += portion.length;
      }
      onSent(sent);
    } catch (error) {
      setFailure(error);
    }
    setProgress(null);
  };
  return { progress, failure, send };
}
