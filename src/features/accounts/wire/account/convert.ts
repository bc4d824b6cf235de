import type { AccountRecord } from '../../administration.ts';
import type { Principal } from '../../../../kernel/http/operation.ts';
import { toAccount } from '../account-convert.ts';
import type { OwnAccount } from './schema.ts';

export function toOwnAccount(account: AccountRecord, { keyId, denied }: Principal): OwnAccount {
  return { ...toAccount(account), key_id: keyId, denied: [...denied] };
}
