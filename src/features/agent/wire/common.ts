/** Every path of an operation on responses; `rest` follows the collection. */
export function responsePaths(rest: string): [string, ...string[]] {
  return [`/v1/agent${rest}`, `/v1/responses${rest}`, `/responses${rest}`, `/openai/v1/responses${rest}`];
}

/** Those of them on which a client may send its key as `x-api-key`. */
export function apiKeyPaths(rest: string): readonly string[] {
  return [`/v1/responses${rest}`];
}

/** Where the files of a response are read. */
export function fileUrlOf(base: string, id: string): (fileId: string) => string {
  return (fileId) => `${base.replace(/(?<!\/)\/+$/, '')}/v1/agent/${id}/files/${fileId}/content`;
}
