import type { Principal } from '../../http/operation.ts';

/** Every path of an operation on responses; `rest` follows the collection. */
export function responsePaths(rest: string): [string, ...string[]] {
  return [`/v1/agent${rest}`, `/v1/responses${rest}`, `/responses${rest}`, `/openai/v1/responses${rest}`];
}

export function accountOf(principal: Principal | null): string {
  if (principal === null) throw new Error('an operation with credentials has a principal');
  return principal.accountId;
}

/** Where the files of a response are read. */
export function fileUrlOf(base: string, id: string): (fileId: string) => string {
  return (fileId) => `${base.replace(/\/+$/, '')}/v1/agent/${id}/files/${fileId}/content`;
}
