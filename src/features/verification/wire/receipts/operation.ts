import { Type } from 'typebox';
import { Fault } from '../../../../kernel/faults.ts';
import type { Services } from '../../../../kernel/feature.ts';
import {
  accountOf,
  defineOperation,
  ok,
  perMinute,
  type Operation,
} from '../../../../kernel/http/operation.ts';
import { described } from '../../../../kernel/kit/schema.ts';
import { Receipt } from '../../receipt-schema.ts';

const InReceipt = Type.Object(
  described({ receipt_id: Type.String() }, { receipt_id: 'From `verification.receipt` of an answer.' }),
);

/** Proofs of verified answers, for the account whose answers they were. */
export const receiptOperations: readonly Operation<Services>[] = [
  defineOperation({
    id: 'getReceipt',
    summary: 'The proof of how an answer was verified, for `nestor verify`',
    group: 'chat',
    method: 'GET',
    paths: ['/v1/receipts/{receipt_id}'],
    surface: 'plain',
    credentials: 'bearer',
    buckets: [perMinute('receipts', 600)],
    params: InReceipt,
    responses: { 200: Receipt },
    async handle({ params: { receipt_id: id }, principal }, { receipts }: Services) {
      const receipt = await receipts.get(accountOf(principal), id);
      if (receipt === null) throw new Fault('not_found', `receipt "${id.slice(0, 100)}" not found`);
      return ok(JSON.parse(receipt) as Receipt);
    },
  }),
];
