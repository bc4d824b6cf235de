import type { Confidences, Decider, Definition, Kind } from './wire.ts';

/** What a field for a number holds: empty where nothing was chosen. */
export type NumberDraft = number | '';

export type ConfidenceDraft = Readonly<Record<Kind, NumberDraft>>;

export interface StageDraft {
  /** Unique on the form. */
  readonly id: number;
  readonly decider: string;
  readonly confidence: ConfidenceDraft;
}

/** What the form holds. */
export interface DeciderDraft {
  readonly name: string;
  readonly answersBy: 'engine' | 'cascade';
  readonly engine: string;
  readonly passes: '1' | '2' | 'n';
  readonly prior: boolean;
  readonly negation: boolean;
  readonly stages: readonly StageDraft[];
  readonly abstain: ConfidenceDraft;
  readonly maxError: NumberDraft;
  /** JSON of the files of `nestor calibrate` and `nestor guarantee`; empty where there are none. */
  readonly calibration: string;
  readonly guarantees: string;
}

export const kinds: readonly Kind[] = ['noul', 'choice', 'score'];
export const shippedEngines = ['encoder', 'words'];
export const stagesMax = 8;

const none: ConfidenceDraft = { noul: '', choice: '', score: '' };

export const firstDraft: DeciderDraft = {
  name: '',
  answersBy: 'engine',
  engine: 'encoder',
  passes: '1',
  prior: false,
  negation: false,
  stages: [
    { id: 1, decider: '', confidence: { noul: 0.9, choice: 0.9, score: 0.9 } },
    { id: 2, decider: '', confidence: none },
  ],
  abstain: none,
  maxError: '',
  calibration: '',
  guarantees: '',
};

export function newStage(stages: readonly StageDraft[]): StageDraft {
  return { id: 1 + Math.max(0, ...stages.map(({ id }) => id)), decider: '', confidence: none };
}

export function fromDecider({ name, definition }: Decider): DeciderDraft {
  const { engine, passes, prior, negation, cascade, abstain, calibration, guarantees } = definition;
  return {
    name,
    answersBy: engine === null ? 'cascade' : 'engine',
    engine: engine ?? firstDraft.engine,
    passes: String(passes) as DeciderDraft['passes'],
    prior,
    negation,
    stages:
      cascade.length === 0
        ? firstDraft.stages
        : cascade.map(({ decider, confidence }, at) => ({
            id: at + 1,
            decider,
            confidence: { ...none, ...confidence },
          })),
    abstain: { ...none, ...abstain },
    maxError: definition.max_error ?? '',
    calibration: calibration === null ? '' : JSON.stringify(calibration, null, 2),
    guarantees: guarantees.length === 0 ? '' : JSON.stringify(guarantees, null, 2),
  };
}

/** The body of `PUT /v1/deciders/{name}`, or what has to be changed first. */
export function toBody(
  draft: DeciderDraft,
): { readonly body: Partial<Record<keyof Definition, unknown>> } | { readonly message: string } {
  const calibration = readFile(draft.calibration);
  const guarantees = readFile(draft.guarantees);
  if (calibration === undefined) return { message: 'The calibration is no JSON.' };
  if (guarantees === undefined) return { message: 'The guarantees are no JSON.' };
  const policy = {
    abstain: toConfidences(draft.abstain),
    max_error: draft.maxError === '' ? null : draft.maxError,
    // A file of `nestor guarantee` holds one of them.
    guarantees: guarantees === null ? [] : [guarantees].flat(),
  };
  if (draft.answersBy === 'cascade') {
    const unnamed = draft.stages.findIndex(({ decider }) => decider === '');
    if (unnamed >= 0) return { message: `Choose the decider of step ${unnamed + 1}.` };
    const cascade = draft.stages.map(({ decider, confidence }, at) =>
      // The last one answers all that is left.
      at === draft.stages.length - 1 ? { decider } : { decider, confidence: toConfidences(confidence) },
    );
    return { body: { cascade, ...policy } };
  }
  const { engine, passes, prior, negation } = draft;
  const order = passes === 'n' ? 'n' : Number(passes);
  return { body: { engine, passes: order, prior, negation, calibration, ...policy } };
}

function toConfidences(draft: ConfidenceDraft): Confidences {
  return Object.fromEntries(Object.entries(draft).filter(([, least]) => least !== ''));
}

/** Null for an empty text, undefined for one that is no JSON. */
function readFile(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
