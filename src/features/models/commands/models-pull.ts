import { join } from 'node:path';
import type { Config } from '../../../kernel/config.ts';
import type { Terminal } from '../../../kernel/commands/progress.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import { openHub, PullError, type Hub } from '../hub.ts';
import { parseReference, pull, type Pulled } from '../pull.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printJson, toSize } from '../../../kernel/commands/print.ts';
import type { ModelsContext } from '../open-server-models.ts';

const usualEndpoint = 'https://huggingface.co';

/** `nestor models pull`: a GGUF file of the Hub into the folder `models` of the data folder. */
export async function pullModel(
  config: Config,
  reference: string,
  isJson: boolean,
  context: ModelsContext,
): Promise<number> {
  const { out, err, signal, clock } = context;
  const endpoint = (context.hub.endpoint ?? '').replace(/(?<!\/)\/+$/, '') || usualEndpoint;
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint))
    throw new UsageError('HF_ENDPOINT is no http:// or https:// address.');
  const { token, proxy } = context.hub;
  const hub = openHub({ endpoint, token: token || null, proxy: proxy || null });
  const progress = createByteProgress(err, clock);
  try {
    const file = parseReference(reference);
    if (!file.file.endsWith('.gguf')) return await suggestFiles(hub, file.repository, context);
    const pulled = await pull(hub, {
      file,
      folder: join(config.dataFolder, 'models'),
      signal,
      onProgress: progress.update,
      onRetry: (reason) => progress.note(`${reason} Trying again.`),
    });
    progress.finish();
    if (isJson) printJson(out, pulled);
    else out.write(`${describe(pulled)}\n`);
    return exitCodes.done;
  } catch (error) {
    progress.finish();
    if (signal.aborted) {
      err.write('nestor: stopped; what came is kept, and the same command continues it.\n');
      return exitCodes.interrupted;
    }
    if (!(error instanceof PullError) && !isFileError(error)) throw error;
    err.write(`nestor: ${error.message}\n`);
    return exitCodes.failed;
  } finally {
    await hub.close();
  }
}

async function suggestFiles(hub: Hub, repository: string, { err, signal }: ModelsContext): Promise<number> {
  const files = await hub.list(repository, signal);
  const listed = files.map((file) => `\n  nestor models pull ${repository}/${file}`).join('');
  const found = files.length === 0 ? ' The Hub lists none in this repository.' : ` It has these:${listed}`;
  err.write(`nestor: name a .gguf file of ${repository}.${found}\n`);
  return exitCodes.usage;
}

function describe({ path, size, sha256, isVerified, wasThere }: Pulled): string {
  const checked = isVerified ? 'checksum verified' : 'the Hub has no checksum to compare with';
  return [
    `${path}: ${toSize(size)}, ${wasThere ? 'was there already, ' : ''}${checked} (sha256 ${sha256})`,
    'A server without `providers` in its configuration offers it at its next start. To name it yourself:',
    `providers: [{ name: home, type: local, path: ${JSON.stringify(path)} }]`,
  ].join('\n');
}

/** A full disk, a folder that may not be written to. */
function isFileError(error: unknown): error is Error {
  return error instanceof Error && typeof Reflect.get(error, 'syscall') === 'string';
}

const redrawMs = 200;
const lineMs = 5_000;

/** Progress in one line that is redrawn on a terminal, or in a line every few seconds elsewhere. */
function createByteProgress(terminal: Terminal, clock: Clock) {
  const isTerminal = terminal.isTTY === true;
  const startedMs = clock.monotonic();
  let firstDone: number | null = null;
  let shownMs = isTerminal ? -Infinity : startedMs;
  let isDrawn = false;
  const clear = () => {
    if (isDrawn) terminal.write('\r\u001b[2K');
    isDrawn = false;
  };
  return {
    update: (done: number, total: number | null): void => {
      firstDone ??= done;
      const nowMs = clock.monotonic();
      if (nowMs - shownMs < (isTerminal ? redrawMs : lineMs)) return;
      shownMs = nowMs;
      const perSecond = ((done - firstDone) / Math.max(1, nowMs - startedMs)) * 1_000;
      const share = total === null ? '' : ` of ${toSize(total)} (${Math.floor((100 * done) / total)} %)`;
      const left =
        total === null || perSecond === 0 ? '' : `, ${Math.ceil((total - done) / perSecond)} s left`;
      const text = `${toSize(done)}${share}, ${toSize(perSecond)}/s${left}`;
      terminal.write(isTerminal ? `\r\u001b[2K${text.slice(0, (terminal.columns || 80) - 1)}` : `${text}\n`);
      isDrawn = isTerminal;
    },
    note: (text: string): void => {
      clear();
      terminal.write(`${text}\n`);
    },
    finish: clear,
  };
}
