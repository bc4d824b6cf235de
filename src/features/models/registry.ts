import type { Fault } from '../../kernel/faults.ts';
import type { Capabilities, ModelEvent, ModelPrice, ModelRequest, OfferedModel, Provider } from './model.ts';

/** A model that callers can name: one of a provider's, or a name of our own that stands for a list of them. */
export interface CatalogEntry {
  /** `provider/model`. */
  readonly id: string;
  readonly displayName: string;
  /** Unix time in seconds; 0 if unknown. */
  readonly created: number;
  readonly ownedBy: string;
  /** Zeros where no price is known. */
  readonly price: ModelPrice;
  /** Capabilities of the backend that would be tried first. */
  readonly capabilities: Capabilities;
  /** Unit: tokens; null where it is not known. */
  readonly contextTokensMax: number | null;
  readonly router: boolean;
}

export interface OpenedStream {
  /** The name that ran, as it was asked for. */
  readonly name: string;
  readonly entry: CatalogEntry;
  /** Begins with the first output. Throws as `Model.stream` does. */
  readonly events: AsyncIterable<readonly ModelEvent[]>;
}

/** Every model this server can ask, by the names that callers use. */
export interface Models {
  /** Sorted by id. Backends that are down stay listed. */
  list(): readonly CatalogEntry[];
  /** Resolves aliases; null for a name that nothing stands behind. Names are compared exactly. */
  find(name: string): CatalogEntry | null;
  /**
   * Asks the first of these names; its backends are tried by weight and health, then the next name is. Moves on only
   * before the first output. Resolves when that has come. Rejects with the last fault, which has a wait when backends are busy.
   */
  open(names: readonly string[], request: ModelRequest, signal: AbortSignal): Promise<OpenedStream>;
  countTokens(name: string, request: ModelRequest, signal: AbortSignal): Promise<number>;
  /** Whether all that this name runs on is away, as our own probes found. */
  rests(name: string): boolean;
  /**
   * Whether a model answers an entry now. Quoted sentences of the extractive default are no model's answer, unless it is
   * the entry itself.
   */
  isAvailable(id: string): boolean;
  /** `configured` where the operator has set a price or a model of a provider has one; else all are the built-in ones. */
  prices(): 'default' | 'configured';
  /** `not_configured` while only the extractive default answers. */
  health(): 'ok' | 'down' | 'not_configured';
}

/** A backend on which `open` gave up, for the log. */
export interface BackendFailure {
  readonly id: string;
  readonly fault: Fault;
}

/** A provider as the registry keeps it. */
export interface ProviderEntry {
  readonly provider: Provider;
  /** Whether its models are the server's own list, not the operator's. */
  readonly asked: boolean;
  /** In a list of the server, the models that `auto` prefers. */
  readonly prefer: RegExp | null;
}

/** One model of one provider: the unit of breakers and weights. */
export interface Backend {
  /** `provider/model`. */
  readonly id: string;
  readonly provider: Provider;
  readonly offered: OfferedModel;
}

/** Backends of one place in a list; calls are spread over them by weight. */
export interface Rank {
  readonly key: string;
  readonly members: readonly { readonly backend: Backend; readonly weight: number }[];
}
