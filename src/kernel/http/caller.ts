import type { Principal } from './operation.ts';

/** The account that an operation with credentials acts for. */
export function accountOf(principal: Principal | null): string {
  return callerOf(principal).accountId;
}

/** Whoever calls an operation with credentials; the pipeline refuses everybody else. */
export function callerOf(principal: Principal | null): Principal {
  if (principal === null) throw new Error('an operation with credentials has a principal');
  return principal;
}
