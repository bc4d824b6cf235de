import type { Api } from '../../api/call.ts';
import { ApiFailure, isRecord } from '../../api/failure.ts';

type State = 'ok' | 'degraded' | 'down' | 'not_configured';
export type Checks = Readonly<Record<string, State>>;

/** The checks of `/readyz`, also where one of them is down. */
export async function readHealth(api: Api, signal: AbortSignal): Promise<Checks> {
  try {
    const { body } = await api.call<{ checks: Checks }>({ path: '/readyz', signal });
    return body.checks;
  } catch (failure) {
    const body = failure instanceof ApiFailure ? failure.body : null;
    if (isRecord(body) && isRecord(body['checks'])) return body['checks'] as Checks;
    throw failure;
  }
}
