import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature } from '../../kernel/feature.ts';
import { verificationKeys } from './config.ts';
import { openReceipts, type Receipts } from './receipts.ts';
import { createVerifier, type Verifier } from './run-verifier.ts';
import { createReceiptStore } from './store/receipts.ts';
import { receiptOperations } from './wire/receipts/operation.ts';

export { toAnswerSentences, type AnswerSentence } from './answer-sentences.ts';
export { type Passage } from './passages.ts';
export type { RunVerification, Verified, VerifySetting } from './run-verifier.ts';
export { toWireVerification, WireVerification } from './wire/verification.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<typeof verificationKeys> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly verifier: Verifier;
    readonly receipts: Pick<Receipts, 'get'>;
  }
}

/** Whether answers say what the sources that they cite say, and the proof of it. */
export const feature = defineFeature({
  name: 'verification',
  config: { keys: verificationKeys },
  needs: ['decisions', 'storageQuota'],
  gives: ['verifier', 'receipts'],
  async open({ config, kernel, services: { decisions, storageQuota }, keep }) {
    const { retentionDays, receiptsPerAccount } = config.verification;
    const { clock, ids, log, database, ageGuard } = kernel;
    const store = createReceiptStore(database.db, database.reader);
    const receipts = await keep(
      openReceipts({
        store: { ...store, forget: ageGuard((nowMs: number) => store.forget(nowMs)) },
        folder: config.dataFolder,
        clock,
        retentionMs: retentionDays * 86_400_000,
        perAccountMax: receiptsPerAccount,
        fullAccounts: (accountIds) => storageQuota.full(accountIds),
        onError: (error) => log.error({ err: error }, 'receipts'),
      }),
    );
    return { verifier: createVerifier({ engine: decisions, receipts, clock, ids }), receipts };
  },
  operations: () => receiptOperations,
});
