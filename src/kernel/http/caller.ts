import type { Principal } from './operation.ts';

/** Account of the caller of an operation with credentials. */
export function accountOf(principal: Principal | null): string {
  return callerOf(principal).accountId;
}

/** Caller of an operation with credentials; the pipeline refuses requests without. */
export function callerOf(principal: Principal | null): Principal {
  if (principal === null) throw new Error('an operation with credentials has a principal');
  return principal;
}
