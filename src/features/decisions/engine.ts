import type { Json, JsonObject } from '../../kernel/kit/json.ts';
import type { OpenEncoder, OpenLocal } from '../models/feature.ts';
import type { Fingerprint } from './fingerprint.ts';

/** Text or structured content as the caller wrote it. */
export type Entry = string | JsonObject | readonly Json[];

/** An image of the state: checked by signature, never fetched. */
export interface Image {
  readonly format: 'png' | 'jpeg' | 'webp';
  readonly bytes: Buffer;
  /** Pixels as sent. */
  readonly width: number;
  readonly height: number;
  /** Vision tokens after scaling down to at most 2,048 tiles of 32x32 pixels. */
  readonly tokens: number;
}

/** The content that every question of a request refers to. It is data to judge, never an instruction. */
export interface State {
  readonly entry: Entry;
  /** The entry rendered as text, image parts left out. See `prompt.ts`. */
  readonly text: string;
  readonly images: readonly Image[];
}

/** One answer that a question permits. Order is the caller's; an engine's answer must not depend on it. */
export interface Option {
  /** `true`/`false` for a noul, the option's name for a choice, the level's index ("0", "1", …) for a score. */
  readonly name: string;
  /** Rendered description; empty when the name speaks for itself. */
  readonly description: string;
}

/**
 * The normal form of all three kinds of question; prompts and engines know nothing else. Questions with one option are
 * answered without an engine.
 */
export interface NormalizedQuestion {
  readonly kind: 'noul' | 'choice' | 'score';
  /** Rendered instructions; empty when there are none. */
  readonly question: string;
  /** Two for a noul (`true`, then `false`), 1 to 255 for a choice, 1 to 10 for a score. */
  readonly options: readonly Option[];
  /** Texts whose answer the caller knows: data as the state is. Only engines that read them are handed any. */
  readonly examples?: readonly QuestionExample[];
}

export interface QuestionExample {
  readonly text: string;
  /** Name of the option. */
  readonly answer: string;
}

/** Probability of each option of one question, in the question's order. Each in [0,1]; they sum to 1. */
export type Distribution = readonly number[];

/**
 * Scores the options of prepared questions against one state. An engine knows no HTTP, no wire format of Nestor and no
 * other engine.
 *
 * Guarantees, checked by the family suite: the same input gives the same output; a question's answer does
 * not depend on the other questions of the call; state and descriptions are data, never instructions.
 */
export interface DecisionEngine {
  /** Public name, sent as `x-nestor-engine`, and shown by `/readyz` and the log. */
  readonly name: string;
  /** Whether image parts of the state are looked at. Without it a state with images is refused. */
  readonly vision: boolean;
  /** Whether examples in questions are read; the others are handed questions without them. */
  readonly readsExamples?: boolean;
  /** States that are best asked about at the same time, because they are evaluated together. Absent where nothing is gained. */
  readonly statesAtOnce?: number;
  health(): 'ok' | 'down';
  /** Counts what `score` would evaluate, images left out: the state once and each question once. Unit: tokens. */
  countTokens(state: State, questions: readonly NormalizedQuestion[], signal: AbortSignal): Promise<number>;
  /**
   * One distribution per question, in order. Throws Fault `service_unavailable`, `gateway_timeout`, `bad_gateway`;
   * rejects with the signal's reason when it aborts. `account` gets its share of what evaluates; without it the server
   * itself asks. No answer depends on it.
   */
  score(
    state: State,
    questions: readonly NormalizedQuestion[],
    signal: AbortSignal,
    account?: string,
  ): Promise<readonly Distribution[]>;
  /**
   * Into how many windows a state is cut, and how many of them decide a question at most. Absent where a state is always
   * read whole.
   */
  countWindows?(state: State, signal: AbortSignal): Promise<StateWindows>;
  /** How many questions rules answer, without the engine. Absent where it asks none; asked after `score`. */
  countRuled?(state: State, questions: readonly NormalizedQuestion[]): number;
  /** Name of the engine that answered, where another may answer in its place. Asked after `score`. */
  answeredBy?(state: State): string;
  /** What can be learned from. Absent where an engine answers without vectors. */
  readonly features?: Features;
  /** What its answers depend on, beside its name; asked where something was fitted on them. Absent where nothing is known. */
  fingerprint?(): Promise<Fingerprint>;
  close(): Promise<void>;
}

/** States as numbers. The same state gives the same ones. */
export interface Features {
  /** Names what they are made with, and changes with it. */
  readonly version: string;
  /**
   * The vectors of states of which more is asked soon, those of the windows of each one after the other; they are kept in
   * memory. `known` are those that it made before, null where it has to make them.
   */
  keep(
    states: readonly State[],
    known: readonly (Float32Array | null)[],
    signal: AbortSignal,
    account?: string,
  ): Promise<readonly Float32Array[]>;
  /** A vector of length 1 for each state, and what the vectors alone say to the question. */
  of(
    states: readonly State[],
    question: NormalizedQuestion,
    signal: AbortSignal,
    account?: string,
  ): Promise<readonly StateFeatures[]>;
}

export interface StateFeatures {
  readonly vector: Float32Array;
  readonly prior: Distribution;
}

/** How a state that is longer than a model reads at once is read. One window is the whole state. */
export interface StateWindows {
  readonly total: number;
  readonly read: number;
}

/** Name and fingerprint together. */
export async function fingerprintOf(engine: DecisionEngine): Promise<Fingerprint> {
  return { engine: engine.name, ...(await engine.fingerprint?.()) };
}

/**
 * The same engine with another `score`, which `parts` tell in its fingerprint. Its properties are read each time, because
 * some change.
 */
export function rescore(
  engine: DecisionEngine,
  parts: Fingerprint,
  score: DecisionEngine['score'],
): DecisionEngine {
  return {
    name: engine.name,
    get vision() {
      return engine.vision;
    },
    ...(engine.readsExamples !== undefined && { readsExamples: engine.readsExamples }),
    ...(engine.statesAtOnce !== undefined && { statesAtOnce: engine.statesAtOnce }),
    health: () => engine.health(),
    countTokens: (state, questions, signal) => engine.countTokens(state, questions, signal),
    score,
    countWindows: async (state, signal) => (await engine.countWindows?.(state, signal)) ?? wholeState,
    countRuled: (state, questions) => engine.countRuled?.(state, questions) ?? 0,
    answeredBy: (state) => engine.answeredBy?.(state) ?? engine.name,
    fingerprint: async () => ({ ...(await engine.fingerprint?.()), ...parts }),
    ...(engine.features !== undefined && { features: engine.features }),
    close: () => engine.close(),
  };
}

const wholeState: StateWindows = { total: 1, read: 1 };

/** What an engine may be opened with; each takes what concerns it. */
export interface EngineOptions {
  /** A GGUF file, or a folder or graph in ONNX form; null where none was named or found. */
  readonly path: string | null;
  /** The configuration names the path. */
  readonly isNamed: boolean;
  /** Use a GPU if there is one and the runtime is installed for it. */
  readonly gpu: boolean;
  /** Threads that evaluate: of a GGUF file together, of a model in ONNX form one job each. What suits the machine by default, and for null. */
  readonly threads?: number | null;
  /** Opens the file, or hands out the model that others in this process use already. */
  readonly openLocal?: OpenLocal;
  /** Hands out the sentence encoder that ships, which others in this process may use already; null without room for it. */
  readonly openEncoder?: OpenEncoder | null;
  /** Where vectors of options may be kept over restarts; absent where nothing is to be written. */
  readonly cacheFolder?: string;
  /** Resolves when the server listens, before which no model is read that can be read behind it; absent without one. */
  readonly listening?: Promise<void>;
  /** `auto` chose it and no temperature was fitted for it, so another may answer until it can. */
  readonly isAuto?: boolean;
  readonly upstreams: readonly {
    readonly url: string;
    readonly key: string | null;
    readonly model: string | null;
  }[];
  /** For a whole request. Unit: ms. */
  readonly timeoutMs: number;
  /** Called with the share of a model's whole distribution that fell on labels, in [0,1]. */
  readonly onLabelMass: (mass: number) => void;
}

/** A member of the family, without its code: that is loaded by `open`, because most servers use one engine. */
export interface EngineDeclaration {
  /** Its name in `decisions.engine`. */
  readonly name: string;
  /** It forwards to servers, so it needs at least one upstream; `named`: and the name of a model for each. */
  readonly upstreams?: 'needed' | 'named';
  /** It needs neither servers nor files, so accounts may use it in deciders of their own. */
  readonly ships?: boolean;
  /** Whether `auto` may choose it. The last engine of the list that suits is taken. */
  suits?(options: Pick<EngineOptions, 'path' | 'isNamed' | 'upstreams' | 'openEncoder'>): boolean;
  /** Where its model lies if the configuration names none; null where there is none. */
  find?(dataFolder: string): Promise<string | null>;
  /** Those of these addresses at which a server answers that it could forward to. Never rejects. */
  findServers?(addresses: readonly string[], signal: AbortSignal): Promise<readonly FoundServer[]>;
  open(options: EngineOptions): Promise<OpenedEngine>;
}

/** A server that nobody configured. */
export interface FoundServer {
  /** Without a version. */
  readonly url: string;
  readonly model: string;
}

/** An engine, and what is known of it from the start. */
export type OpenedEngine = DecisionEngine &
  OpeningReport & {
    /** What is known only once its model is open, for one that does not keep the server from starting. */
    readonly opened?: Promise<OpeningReport>;
  };

/** What there is to log of an engine that was opened, in one line each. */
export interface OpeningReport {
  /** Why it cannot work. */
  readonly problem?: string | null;
  /** What it opened, and the memory that takes. */
  readonly about?: string;
}

/**
 * Declares a decision engine. Its name in the configuration and what is checked there follow from the list in
 * `engines/index.ts`.
 *
 * @example
 * export const coin = defineEngine({ name: 'coin', open: async () => (await import('./index.ts')).openCoin() });
 */
export const defineEngine = (engine: EngineDeclaration): EngineDeclaration => engine;
