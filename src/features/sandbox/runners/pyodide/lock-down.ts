import { registerHooks } from 'node:module';

/** Members of `process` that reach other processes or modules of Node, or describe the machine. */
const dangerous =
  'binding _linkedBinding dlopen getBuiltinModule mainModule moduleLoadList report kill ' +
  '_kill _debugProcess _debugEnd _startProfilerIdleNotifier _stopProfilerIdleNotifier chdir umask setuid ' +
  'seteuid setgid setegid setgroups initgroups getuid geteuid getgid ' +
  'getegid getgroups loadEnvFile execve finalization argv execArgv execPath ' +
  'pid ppid title config debugPort _getActiveHandles _getActiveRequests getActiveResourcesInfo ' +
  'addUncaughtExceptionCaptureCallback setUncaughtExceptionCaptureCallback stdin stdout stderr openStdin _preload_modules';
const dangerousGlobals = [
  'fetch',
  'WebSocket',
  'EventSource',
  'BroadcastChannel',
  'localStorage',
  'navigator',
];

/**
 * Takes out of this process what is dangerous and not covered by the permissions of Node. From here on no module can be
 * loaded (`node:sqlite` would write any file), no process can be sent a signal, and nothing brings either back. What
 * goes to the console goes to `write`.
 */
export function lockDown(write: (line: string) => void): void {
  const refuse = (): never => {
    throw new Error('not here');
  };
  registerHooks({ resolve: refuse, load: refuse });
  // Modules of Node that are loaded later assign some of them, which must neither throw nor succeed.
  const gone = { get: () => undefined, set: () => {}, configurable: false };
  for (const name of dangerous.split(' ')) Object.defineProperty(process, name, gone);
  for (const name of dangerousGlobals) Object.defineProperty(globalThis, name, gone);
  const print = (...words: readonly unknown[]) => write(words.map(String).join(' '));
  const console = { log: print, info: print, warn: print, error: print, debug: print, trace: print };
  Object.defineProperty(globalThis, 'console', { value: console, writable: false, configurable: false });
}
