import type { Config } from '../../../kernel/config.ts';
import type { ClientParts } from '../../client/feature.ts';
import type { EvaluationParts } from '../../decisions/feature.ts';
import type { ModelsParts } from '../../models/feature.ts';

/** What was found about the store, without changing anything in it. */
export interface StoreState {
  /** `absent`: the first start makes it. `old`: of an earlier version. */
  readonly state: 'ok' | 'absent' | 'old' | 'broken';
  readonly store: 'sqlite' | 'postgres';
  /** Of a write that is taken back; null where none was tried. Unit: ms. */
  readonly writeMs: number | null;
  /** Why it is broken, for the operator. */
  readonly reason: string | null;
}

export interface SandboxState {
  /** Null where none works. */
  readonly runner: string | null;
  readonly unfit: readonly { readonly runner: string; readonly reason: string }[];
}

/** Looks at parts of a configuration that only the composition root may open. */
export interface DoctorTools {
  lookAtStore(config: Config): Promise<StoreState>;
  /** Tries the runners one after the other. */
  lookAtSandbox(config: Config): Promise<SandboxState>;
}

/** What `nestor doctor` is handed. */
export interface DoctorParts
  extends ClientParts, Pick<EvaluationParts, 'open' | 'load'>, Pick<ModelsParts, 'openModels'> {
  readonly doctor: DoctorTools;
}
