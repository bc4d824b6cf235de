import type { Clock } from '../../kernel/kit/clock.ts';
import type { Ids } from '../../kernel/kit/ids.ts';
import { fingerprintOf, type DecisionEngine } from '../decisions/feature.ts';
import type { Receipts } from './receipts.ts';
import { toReceipt } from './receipt.ts';
import { Verification, type JudgedSentence } from './verifier.ts';

export type VerifyMode = 'mark' | 'remove';
/** Of the configuration. */
export type VerifySetting = 'auto' | 'off' | VerifyMode;

/** What is told of an answer that was verified. */
export interface Verified {
  readonly mode: VerifyMode;
  /** Null where there was no room for it. */
  readonly receipt: string | null;
  /** Null where none was asked: the text itself was enough. */
  readonly decider: string | null;
  readonly sentences: number;
  readonly unsupported: readonly JudgedSentence[];
}

/** How one run is verified. */
export interface RunVerification {
  readonly mode: VerifyMode;
  readonly begin: (account: string, signal: AbortSignal) => Verification;
  /** Makes the receipt of everything that was judged. */
  readonly end: (verification: Verification, account: string) => Promise<Verified>;
}

export type Verifier = ReturnType<typeof createVerifier>;

interface VerifierParts {
  readonly engine: DecisionEngine;
  readonly receipts: Pick<Receipts, 'put'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The engine by which answers are verified without being asked to. */
const shipped = 'encoder';

export function createVerifier({ engine, receipts, clock, ids }: VerifierParts) {
  return {
    /** Null where nothing is to be verified. */
    forRun(setting: VerifySetting): RunVerification | null {
      const mode = setting === 'auto' ? (engine.name === shipped ? 'mark' : 'off') : setting;
      if (mode === 'off') return null;
      return {
        mode,
        begin: (account, signal) => new Verification(engine, { account, signal }),
        async end(verification, account) {
          const { sentences, passages } = verification;
          const isAsked = sentences.some(({ decided }) => decided !== null);
          const receipt = toReceipt({
            id: `rcpt_${ids.uuid()}`,
            createdAtMs: clock.now(),
            decider: isAsked ? await fingerprintOf(engine) : null,
            passages,
            sentences,
          });
          return {
            mode,
            receipt: await receipts.put(account, receipt),
            decider: isAsked ? engine.name : null,
            sentences: sentences.length,
            unsupported: sentences.filter(({ isSupported }) => !isSupported),
          };
        },
      };
    },
  };
}
