import { useCallback, useEffect, useRef, useState } from 'react';
import type { Api } from '../../api/call.ts';
import type { Decision } from './answers.ts';
import type { DecisionRequest } from './code.ts';

/** The answer of one engine, or its failure. */
export interface Reply {
  /** As it was asked for. */
  readonly model: string;
  readonly decision: Decision | null;
  readonly failure: unknown;
  /** The engine behind the name; null if the server does not send it. */
  readonly engine: string | null;
  readonly requestId: string | null;
  /** From sending to the whole answer. */
  readonly tookMs: number;
  /** Unix seconds, by the clock of the server if it sends its time. */
  readonly answeredAt: number;
}

export interface Asked {
  readonly request: DecisionRequest;
  /** One, or two where engines are compared. */
  readonly replies: readonly Reply[];
}

export interface UsedAsk {
  readonly asked: Asked | null;
  readonly isAsking: boolean;
  readonly ask: (request: DecisionRequest, otherEngine: string | null) => void;
  readonly stop: () => void;
}

/** Asks one engine, or two at once. A new question ends the one before it. */
export function useAsk(api: Api): UsedAsk {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isAsking, setAsking] = useState(false);
  const abort = useRef<AbortController | null>(null);
  const stop = useCallback(() => {
    abort.current?.abort();
    setAsking(false);
  }, []);
  const ask = useCallback<UsedAsk['ask']>(
    (request, otherEngine) => {
      abort.current?.abort();
      const mine = new AbortController();
      abort.current = mine;
      setAsking(true);
      const models = otherEngine === null ? [request.model] : [request.model, otherEngine];
      const askAll = async () => {
        const replies = await Promise.all(
          models.map((model) => askOne(api, { ...request, model }, mine.signal)),
        );
        if (mine.signal.aborted) return;
        setAsked({ request, replies });
        setAsking(false);
      };
      void askAll();
    },
    [api],
  );
  useEffect(
    () => () => {
      abort.current?.abort();
    },
    [],
  );
  return { asked, isAsking, ask, stop };
}

const none = { decision: null, engine: null, requestId: null, answeredAt: 0 } as const;

async function askOne(api: Api, request: DecisionRequest, signal: AbortSignal): Promise<Reply> {
  const begunMs = performance.now();
  const { model } = request;
  try {
    const { body, headers } = await api.call<Decision>({ path: '/v1/decisions', body: request, signal });
    return {
      model,
      decision: body,
      failure: null,
      engine: headers.get('x-nestor-engine'),
      requestId: headers.get('x-request-id'),
      tookMs: performance.now() - begunMs,
      answeredAt: Date.parse(headers.get('date') ?? new Date().toISOString()) / 1_000,
    };
  } catch (failure) {
    return { ...none, model, failure, tookMs: performance.now() - begunMs };
  }
}
