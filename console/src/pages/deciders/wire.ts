import type { Question } from './question.ts';

export type Kind = 'noul' | 'choice' | 'score';

/** By kind; a kind that is absent has none. */
export type Confidences = Readonly<Partial<Record<Kind, number>>>;

export interface Stage {
  readonly decider: string;
  readonly confidence: Confidences;
}

export interface Guarantee {
  readonly max_error: number;
  readonly confidence: number;
  readonly engine: string;
  readonly thresholds: {
    readonly by_kind: Readonly<Partial<Record<Kind, number | null>>>;
    readonly by_question: Readonly<Record<string, number | null>>;
  };
  /** What the fit saw, by kind; only its presence is looked at. */
  readonly curves?: Readonly<Partial<Record<Kind, object>>>;
}

export interface Definition {
  readonly engine: string | null;
  readonly passes: 1 | 2 | 'n';
  readonly prior: boolean;
  readonly negation: boolean;
  readonly calibration: object | null;
  readonly cascade: readonly Stage[];
  readonly abstain: Confidences;
  readonly max_error: number | null;
  readonly guarantees: readonly Guarantee[];
}

export interface Difference {
  readonly psi: number;
  readonly psi_by_chance: number;
  readonly z: number;
}

export interface Drift {
  /** Key of the question, as in the report of its fit. */
  readonly question: string;
  readonly answers: number;
  readonly baseline: number;
  readonly choices: Difference;
  readonly confidence: Difference;
  readonly drifted: boolean;
  /** ISO 8601. */
  readonly since: string | null;
}

/** How much of a model falls on the options, beside what it was when its decider was calibrated. */
export interface LabelMass {
  readonly evaluations: number;
  readonly baseline: number;
  readonly difference: Difference;
  readonly drifted: boolean;
  /** ISO 8601. */
  readonly since: string | null;
}

export interface Decider {
  readonly name: string;
  readonly owner: 'account' | 'operator';
  readonly definition: Definition;
  /** The fit in use. */
  readonly fit: string | null;
  /** Of one that has learned, where it is asked for by name. */
  readonly drift?: readonly Drift[];
  /** Of one of the operator whose model was calibrated. */
  readonly label_mass?: LabelMass;
  /** ISO 8601. */
  readonly updated_at: string | null;
}

export interface DeciderList {
  readonly deciders: readonly Decider[];
}

export interface Example {
  readonly state: unknown;
  readonly question: Question;
  readonly answer: boolean | string | number;
}

export interface ExamplePage {
  readonly examples: readonly (Example & { readonly id: string })[];
  readonly total: number;
  readonly next_page_token?: string;
}

export interface Figures {
  readonly examples: number;
  readonly accuracy: number;
  readonly nll: number;
  readonly ece: number;
}

export interface LabelFigures {
  readonly name: string;
  readonly examples: number;
  readonly answered: number;
  readonly precision: number | null;
  readonly recall: number | null;
}

export interface ConfusedPair {
  readonly right: string;
  readonly answered: string;
  readonly examples: number;
}

/** How often answers of about one confidence are right. */
export interface ReliabilityPoint {
  readonly confidence: number;
  readonly accuracy: number;
  readonly examples: number;
}

export interface QuestionReport {
  readonly question: string;
  readonly kind: Kind;
  readonly instructions: string;
  readonly examples: number;
  readonly taken: 'linear' | 'nearest' | 'blend' | null;
  readonly before: Figures | null;
  readonly after: Figures | null;
  readonly held_out: Figures | null;
  /** Null or absent in reports of earlier versions, as are those that were confused. */
  readonly labels?: readonly LabelFigures[] | null;
  readonly confused?: readonly ConfusedPair[] | null;
  readonly reliability?: readonly ReliabilityPoint[] | null;
}

export interface Fit {
  readonly id: string;
  readonly state: 'running' | 'taken' | 'not_better' | 'failed' | 'cancelled' | 'rolled_back';
  readonly in_use: boolean;
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly error: string | null;
  readonly report: { readonly examples: number; readonly questions: readonly QuestionReport[] } | null;
}

export interface FitList {
  readonly fits: readonly Fit[];
}

export function pathOf(name: string): string {
  return `/v1/deciders/${encodeURIComponent(name)}`;
}
