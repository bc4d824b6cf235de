import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import { openOutbound } from '../../../../kernel/kit/outbound.ts';
import type { FoundServer } from '../../engine.ts';
import { endpointOf, probe } from './request.ts';

const listMs = 1_000;
/** A model of some billion parameters on a CPU. */
const answerMs = 30_000;
const modelsMax = 64;

/**
 * The servers among these addresses that answer System One, each with a model that decides. Ollama says what a model can
 * do (the capability `decision` in `/api/show`) without loading it. Others, as llama.cpp, are asked a question, and only
 * where they list one model: asking one of several could load it. Never rejects.
 */
export async function findServers(
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<readonly FoundServer[]> {
  const outbound = openOutbound({ responseBytesMax: 4_194_304, connectionsMax: 1 });
  const ask = async (url: string, json: string | null, timeoutMs = listMs): Promise<Json | null> => {
    const body = json === null ? ({ method: 'GET' } as const) : ({ method: 'POST', json } as const);
    const outcome = await outbound.call({ ...body, url, timeoutMs, signal });
    return outcome.ok ? outcome.body : null;
  };

  async function findModel(address: string): Promise<string | null> {
    const models = modelsOf(await ask(`${address}/v1/models`, null));
    for (const model of models.slice(0, modelsMax)) {
      const shown = await ask(`${address}/api/show`, JSON.stringify({ model }));
      if (!isJsonObject(shown)) break;
      if (Array.isArray(shown['capabilities']) && shown['capabilities'].includes('decision')) return model;
    }
    const [model, ...others] = models;
    if (model === undefined || others.length > 0) return null;
    const answer = await ask(endpointOf(address), probe.toJson(model), answerMs);
    if (answer === null) return null;
    probe.read(answer);
    return model;
  }

  const found = await Promise.all(
    addresses.map(async (url) => {
      // Nobody there, or one that answers something else.
      const model = await findModel(url).catch(() => null);
      return model === null ? [] : [{ url, model }];
    }),
  );
  await outbound.close();
  return found.flat();
}

function modelsOf(listed: Json | null): readonly string[] {
  const data = isJsonObject(listed) ? listed['data'] : null;
  if (!Array.isArray(data)) return [];
  return data.flatMap((one) => (isJsonObject(one) && typeof one['id'] === 'string' ? [one['id']] : []));
}
