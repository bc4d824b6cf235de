import {
  emptyRequest,
  type Capabilities,
  type Model,
  type ModelEvent,
  type ModelPrice,
  type ModelRequest,
  type OfferedModel,
  type Provider,
} from '../../src/features/models/model.ts';
import { everything, finish, text } from './models.ts';

export type Answer = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<readonly ModelEvent[]>;

export interface ScriptedOffer {
  readonly answer?: Answer;
  readonly capabilities?: Partial<Capabilities>;
  readonly contextTokensMax?: number;
  readonly created?: number;
  readonly ownedBy?: string;
  readonly price?: ModelPrice | null;
  readonly router?: boolean;
  readonly count?: Model['countTokens'];
}

export interface ScriptedProvider extends Provider {
  /** Names of models in the order of calls. */
  readonly calls: readonly string[];
  readonly refreshes: number;
  readonly closed: boolean;
  /** What it offers from now on. */
  offer(models: Readonly<Record<string, ScriptedOffer>>): void;
  setHealth(health: 'ok' | 'down'): void;
}

export const plainRequest: ModelRequest = {
  ...emptyRequest,
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
};

export const asks = (question: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  ...plainRequest,
  turns: [{ role: 'user', parts: [{ type: 'text', text: question }] }],
  ...more,
});

/** A provider in memory; its models answer as they are told, by default with their name. */
export function scriptedProvider(
  name: string,
  models: Readonly<Record<string, ScriptedOffer>>,
): ScriptedProvider {
  const calls: string[] = [];
  const state = { refreshes: 0, closed: false, health: 'ok' as 'ok' | 'down' };
  const toOffers = (offers: Readonly<Record<string, ScriptedOffer>>) =>
    Object.entries(offers).map(([model, offer]) => toOffer(model, offer, calls));
  let offered: readonly OfferedModel[] = toOffers(models);
  return {
    name,
    type: 'scripted',
    calls,
    get refreshes() {
      return state.refreshes;
    },
    get closed() {
      return state.closed;
    },
    models: () => offered,
    health: () => state.health,
    refresh() {
      state.refreshes++;
      return Promise.resolve();
    },
    close() {
      state.closed = true;
      return Promise.resolve();
    },
    offer(next) {
      offered = toOffers(next);
    },
    setHealth(health) {
      state.health = health;
    },
  };
}

function toOffer(name: string, offer: ScriptedOffer, calls: string[]): OfferedModel {
  const answer: Answer = offer.answer ?? (() => told(name));
  return {
    model: {
      name,
      capabilities: { ...everything, ...offer.capabilities },
      contextTokensMax: offer.contextTokensMax ?? null,
      outputTokensMax: null,
      stream(request, signal) {
        calls.push(name);
        return answer(request, signal);
      },
      countTokens: offer.count ?? (() => Promise.resolve(name.length)),
    },
    created: offer.created ?? 0,
    ownedBy: offer.ownedBy ?? '',
    price: offer.price ?? null,
    router: offer.router ?? true,
  };
}

/** An answer in one batch. */
export async function* told(words: string): AsyncGenerator<readonly ModelEvent[]> {
  yield [text(words), ...finish()];
}

/** A failure before the first output, after these batches. */
export function fails(error: () => Error, ...batches: readonly (readonly ModelEvent[])[]): Answer {
  return async function* answer() {
    yield* batches;
    throw error();
  };
}

export async function readText(events: AsyncIterable<readonly ModelEvent[]>): Promise<string> {
  let all = '';
  for await (const batch of events)
    for (const event of batch) if (event.type === 'text-delta') all += event.text;
  return all;
}
