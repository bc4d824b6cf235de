import { errorMessage } from '../../../kernel/kit/errors.ts';
/** One thing that was looked at. */
export interface Finding {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** What was found. */
  readonly message: string;
  /** What to do about it; null where nothing is to be done. */
  readonly advice: string | null;
}

const finding =
  (status: Finding['status']) =>
  (name: string, message: string, advice: string | null = null): Finding => ({
    name,
    status,
    message,
    advice,
  });

export const isOk = finding('ok');
export const hasWarning = finding('warn');
export const hasFailed = finding('fail');

/** A check that breaks is itself a finding: the others go on. */
export async function look(
  name: string,
  check: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await check()].flat();
  } catch (error) {
    return [
      hasFailed(name, errorMessage(error), 'Start the server with NESTOR_LOG_LEVEL=debug to see more.'),
    ];
  }
}
