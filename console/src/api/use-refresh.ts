import { useEffect } from 'react';
import type { Loaded } from './use-call.ts';

/** Asks again while it is wanted and somebody looks, `pauseMs` after each answer: one that is slow is waited for. */
export function useRefresh(
  isWanted: boolean,
  { isLoading, reload }: Pick<Loaded<unknown>, 'isLoading' | 'reload'>,
  pauseMs: number,
): void {
  useEffect(() => {
    if (!isWanted || isLoading) return;
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, pauseMs);
    return () => {
      clearInterval(timer);
    };
  }, [isWanted, isLoading, reload, pauseMs]);
}
