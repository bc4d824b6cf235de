import type { Clock } from '../../../kernel/kit/clock.ts';
import { shortId, type Ids } from '../../../kernel/kit/ids.ts';
import { Fault, invalidValue } from '../../../kernel/faults.ts';
import type { DecisionEngine, Features } from '../engine.ts';
import { parseHeads } from '../learning/heads-text.ts';
import type { Pupil } from '../learning/fit-decider.ts';
import { withLearned } from '../learning/with-learned.ts';
import { withSteps } from '../steps.ts';
import type { DeciderRow, DeciderStore } from '../store/deciders.ts';
import type { FitStore } from '../store/fits.ts';
import type { OfDecider } from '../store/learning.ts';
import { toDecider, type Decider, type Stage } from './decider.ts';
import { checkDefinition, checkTogether, type DeciderDefinition } from './definition.ts';
import type { DriftWatch } from './drift-watch.ts';
import { KeptEngines } from './kept-engines.ts';
import type { OpenShipped } from './shipped-engines.ts';

export interface StoredDecidersOptions {
  readonly store: DeciderStore;
  readonly fits: Pick<FitStore, 'heads' | 'current'>;
  /** Engines that ship, opened once for all accounts. */
  readonly openShipped: OpenShipped;
  /** The engine of an operator's decider; undefined where it has none of its own. */
  readonly operatorEngine: (name: string) => DecisionEngine | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly drift: Pick<DriftWatch, 'count'>;
  /** Called where what was learned is of no use to the engine as it is now. */
  readonly onOutdated: () => void;
}

export interface DeciderRecord {
  readonly name: string;
  readonly definition: DeciderDefinition;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** The fit in use; null where nothing was learned. */
  readonly fitId: string | null;
}

/** A pupil, and the fit that it learned with last. */
export type StoredPupil = Pupil & { readonly fitId: string | null };

/** A head of 77 options takes a quarter of a megabyte. */
const keptMax = { countMax: 256, bytesMax: 134_217_728 };

/** Deciders that accounts define for themselves. */
export class StoredDeciders {
  readonly #options: StoredDecidersOptions;
  /** By revision and fit. */
  readonly #engines = new KeptEngines(keptMax);

  constructor(options: StoredDecidersOptions) {
    this.#options = options;
  }

  async list(accountId: string): Promise<readonly DeciderRecord[]> {
    return (await this.#options.store.list(accountId)).map(toRecord);
  }

  /** Throws Fault `not_found`. */
  async get(accountId: string, name: string): Promise<DeciderRecord> {
    const row = await this.#options.store.find(accountId, name);
    if (row === undefined) throw unknownDecider();
    return toRecord(row);
  }

  /** Makes one, or replaces it whole. Throws Fault `invalid_value` and `conflict`. */
  async put(accountId: string, name: string, definition: DeciderDefinition): Promise<DeciderRecord> {
    checkDefinition(definition);
    const { store, clock, ids } = this.#options;
    const row = {
      name,
      definition: JSON.stringify(definition),
      revision: shortId(ids),
      updatedAtMs: clock.now(),
    };
    return toRecord(await store.put(accountId, row, this.#check));
  }

  /** Throws Fault `not_found`, and `invalid_value` while a cascade asks it. */
  async remove(accountId: string, name: string): Promise<void> {
    if (!(await this.#options.store.remove(accountId, name, this.#check))) throw unknownDecider();
  }

  /** The decider as it is asked; null where the account has none of this name. */
  async find(accountId: string, name: string): Promise<Decider | null> {
    const { store } = this.#options;
    const row = await store.find(accountId, name);
    if (row === undefined) return null;
    const { cascade, abstain, maxError, guarantees } = definitionOf(row);
    const toStage = async (decider: string, confidence: Stage['confidence']): Promise<Stage> => {
      const own = decider === name ? row : await store.find(accountId, decider);
      const engine = this.#options.operatorEngine(decider) ?? (own && (await this.#engineOf(accountId, own)));
      if (engine) return { name: decider, engine, confidence };
      throw invalidValue(`The decider "${name}" asks "${decider}", which is gone`, 'model');
    };
    const [first = await toStage(name, {}), ...others] = await Promise.all(
      cascade.map((stage) => toStage(stage.decider, stage.confidence)),
    );
    return toDecider(name, [first, ...others], guarantees, { abstain, maxError });
  }

  /** What a decider learns over; null for one that is gone or cannot learn. */
  async featuresOf(accountId: string, name: string): Promise<Features | null> {
    const row = await this.#options.store.find(accountId, name);
    return (row && (await this.#plainOf(row))?.features) ?? null;
  }

  /** Throws Fault `not_found`, and `invalid_value` for one that cannot learn. */
  async pupil(accountId: string, name: string): Promise<StoredPupil> {
    const row = await this.#options.store.find(accountId, name);
    if (row === undefined) throw unknownDecider();
    const plain = await this.#plainOf(row);
    if (plain === null)
      throw invalidValue('A cascade learns nothing; teach the deciders that it asks', 'decider');
    const { features } = plain;
    if (features === undefined) {
      if (plain.health() === 'down') throw new Fault('service_unavailable');
      throw invalidValue(
        `The engine "${plain.name}" has no vectors to learn from; the engine encoder has`,
        'decider',
      );
    }
    const fit = await this.#options.fits.current({ accountId, decider: name });
    const known = parseHeads(fit?.heads ?? 'null');
    const heads = known?.features === features.version ? known.heads : new Map<string, never>();
    const learned = { heads, learnedTo: heads.size === 0 ? 0 : (fit?.learnedTo ?? 0) };
    return { plain, current: withLearned(plain, heads), features, ...learned, fitId: fit?.id ?? null };
  }

  /** Null for a cascade. */
  async #engineOf(accountId: string, row: DeciderRow): Promise<DecisionEngine | null> {
    const { revision, fitId } = row;
    const key = `${revision} ${fitId ?? ''}`;
    const kept = this.#engines.get(key);
    if (kept !== undefined) return kept;
    const plain = await this.#plainOf(row);
    if (plain === null) return null;
    const text = fitId === null ? null : await this.#options.fits.heads(accountId, fitId);
    const of = { accountId, decider: row.name };
    const engine = fitId === null || text === null ? plain : this.#withHeads(plain, text, of, fitId);
    // Numbers of 4 bytes, of which Base64 has 5.3, are held as 4 and as 8.
    this.#engines.set(key, engine, (text?.length ?? 0) * 1.5);
    return engine;
  }

  /** Without what was learned; null for a cascade. */
  async #plainOf(row: DeciderRow): Promise<DecisionEngine | null> {
    const { engine, ...steps } = definitionOf(row);
    return engine === null ? null : withSteps(await this.#options.openShipped(engine), steps);
  }

  #withHeads(plain: DecisionEngine, text: string, of: OfDecider, fitId: string): DecisionEngine {
    const known = parseHeads(text);
    if (known !== null && known.features === plain.features?.version)
      return withLearned(plain, known.heads, (...answered) =>
        this.#options.drift.count(of, fitId, ...answered),
      );
    this.#options.onOutdated();
    return plain;
  }

  readonly #check = (rows: readonly DeciderRow[]): void => {
    const all = new Map(rows.map((row) => [row.name, definitionOf(row)]));
    checkTogether(all, (name) => this.#options.operatorEngine(name) !== undefined);
  };
}

/** Written by `put` alone. */
function definitionOf({ definition }: DeciderRow): DeciderDefinition {
  return JSON.parse(definition) as DeciderDefinition;
}

function toRecord(row: DeciderRow): DeciderRecord {
  const { name, createdAtMs, updatedAtMs, fitId } = row;
  return { name, definition: definitionOf(row), createdAtMs, updatedAtMs, fitId };
}

export function unknownDecider(): Fault {
  return new Fault('not_found', 'decider not found');
}
