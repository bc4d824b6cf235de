/** One thing that was looked at. */
export interface Finding {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** What was found. */
  readonly message: string;
  /** What to do about it; null where nothing is to be done. */
  readonly advice: string | null;
}

export const isOk = (name: string, message: string): Finding => ({
  name,
  status: 'ok',
  message,
  advice: null,
});

export const hasWarning = (name: string, message: string, advice: string): Finding => ({
  name,
  status: 'warn',
  message,
  advice,
});

export const hasFailed = (name: string, message: string, advice: string): Finding => ({
  name,
  status: 'fail',
  message,
  advice,
});

/** A check that breaks is itself a finding: the others go on. */
export async function look(
  name: string,
  check: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await check()].flat();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [hasFailed(name, message, 'Start the server with NESTOR_LOG_LEVEL=debug to see more.')];
  }
}
