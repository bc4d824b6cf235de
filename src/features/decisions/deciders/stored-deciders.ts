import type { Clock } from '../../../kernel/kit/clock.ts';
import { shortId, type Ids } from '../../../kernel/kit/ids.ts';
import { Fault, invalidValue } from '../../../kernel/faults.ts';
import type { DecisionEngine } from '../engine.ts';
import { withSteps } from '../steps.ts';
import type { DeciderRow, DeciderStore } from '../store/deciders.ts';
import { toDecider, type Decider, type Stage } from './decider.ts';
import { checkDefinition, checkTogether, type DeciderDefinition } from './definition.ts';
import type { OpenShipped } from './shipped-engines.ts';

export interface StoredDecidersOptions {
  readonly store: DeciderStore;
  /** Engines that ship, opened once for all accounts. */
  readonly openShipped: OpenShipped;
  /** The engine of an operator's decider; undefined where it has none of its own. */
  readonly operatorEngine: (name: string) => DecisionEngine | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface DeciderRecord {
  readonly name: string;
  readonly definition: DeciderDefinition;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Engines with steps that are kept between requests: a prior is worth keeping. */
const keptMax = 256;

/** Deciders that accounts define for themselves. */
export class StoredDeciders {
  readonly #options: StoredDecidersOptions;
  /** By revision, the one used last at the end. */
  readonly #engines = new Map<string, DecisionEngine>();

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
      const engine = this.#options.operatorEngine(decider) ?? (own && (await this.#engineOf(own)));
      if (engine) return { name: decider, engine, confidence };
      throw invalidValue(`The decider "${name}" asks "${decider}", which is gone`, 'model');
    };
    const [first = await toStage(name, {}), ...others] = await Promise.all(
      cascade.map((stage) => toStage(stage.decider, stage.confidence)),
    );
    return toDecider(name, [first, ...others], guarantees, { abstain, maxError });
  }

  /** Null for a cascade. */
  async #engineOf(row: DeciderRow): Promise<DecisionEngine | null> {
    const { engine, ...steps } = definitionOf(row);
    if (engine === null) return null;
    const kept = this.#engines.get(row.revision);
    const stepped = kept ?? withSteps(await this.#options.openShipped(engine), steps);
    this.#engines.delete(row.revision);
    this.#engines.set(row.revision, stepped);
    const [oldest] = this.#engines.keys();
    if (this.#engines.size > keptMax && oldest !== undefined) this.#engines.delete(oldest);
    return stepped;
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
  const { name, createdAtMs, updatedAtMs } = row;
  return { name, definition: definitionOf(row), createdAtMs, updatedAtMs };
}

function unknownDecider(): Fault {
  return new Fault('not_found', 'decider not found');
}
