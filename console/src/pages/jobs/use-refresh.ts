import { useEffect } from 'react';

/** Unit: ms. */
const everyMs = 2_000;

/** Asks again every two seconds while it is wanted and somebody looks. */
export function useRefresh(isWanted: boolean, reload: () => void): void {
  useEffect(() => {
    if (!isWanted) return;
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, [isWanted, reload]);
}
