import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { root } from './suite-parts.ts';

const runtime = 'node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm';

/**
 * From the first thread of an ONNX model on, keeps the compiled runtime for those after it: V8 shares it among the threads
 * of a process for as long as one has it. To open a model again costs 0.5 s of CPU with it, and 1.7 without (measured).
 */
export function keepRuntime(): void {
  let kept: Promise<WebAssembly.Module> | null = null;
  subscribe('worker_threads', (message) => {
    const { worker } = message as { readonly worker: Worker };
    if (worker.threadName === 'onnx') kept ??= WebAssembly.compile(readFileSync(root + runtime));
  });
}
