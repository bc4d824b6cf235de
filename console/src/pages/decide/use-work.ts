import { useCallback, useEffect, useRef, useState } from 'react';
import { dropWork, firstWork, keepWork, readWork, type Work } from './kept.ts';

export interface UsedWork {
  readonly work: Work;
  readonly change: (part: Partial<Work> | ((work: Work) => Partial<Work>)) => void;
  /** What is too large to be kept in this tab. */
  readonly left: ReturnType<typeof keepWork>;
}

/** Pause in typing after which the input is saved, in ms. */
const restMs = 400;

/** The input of the page, kept in this tab until sign-out. */
export function useWork(): UsedWork {
  const [work, setWork] = useState(() => readWork(sessionStorage) ?? firstWork());
  const [left, setLeft] = useState<UsedWork['left']>('nothing');
  const latest = useRef(work);
  const isKept = useRef(true);
  const keep = useCallback(() => {
    if (isKept.current) return;
    isKept.current = true;
    setLeft(keepWork(sessionStorage, latest.current));
  }, []);
  const change = useCallback<UsedWork['change']>((part) => {
    isKept.current = false;
    const before = latest.current;
    latest.current = { ...before, ...(typeof part === 'function' ? part(before) : part) };
    setWork(latest.current);
  }, []);
  useEffect(() => {
    const timer = setTimeout(keep, restMs);
    return () => {
      clearTimeout(timer);
    };
  }, [work, keep]);
  useEffect(() => {
    addEventListener('pagehide', keep);
    return () => {
      removeEventListener('pagehide', keep);
      // The next person who signs in must not see it.
      if (sessionStorage.getItem('nestor.keys') === null) dropWork(sessionStorage);
      else keep();
    };
  }, [keep]);
  return { work, change, left };
}
