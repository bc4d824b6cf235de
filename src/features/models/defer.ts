import type { Provider } from './model.ts';
import type { OpenedProvider } from './providers/index.ts';

/**
 * A provider that is still being opened: down and without models until it is. One that cannot be opened stays so; why
 * is told once.
 */
export function deferProvider(
  name: string,
  type: string,
  opening: Promise<OpenedProvider>,
  onProblem: (problem: string) => void,
): Provider & { readonly opened: Promise<void> } {
  let provider: OpenedProvider | null = null;
  const none: ReturnType<Provider['models']> = [];
  const open = async (): Promise<void> => {
    try {
      provider = await opening;
      if (provider.problem) onProblem(provider.problem);
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const opened = open();
  return {
    name,
    type,
    opened,
    models: () => provider?.models() ?? none,
    health: () => provider?.health() ?? 'down',
    refresh: async (signal) => provider?.refresh(signal),
    async close() {
      await opened;
      await provider?.close();
    },
  };
}
