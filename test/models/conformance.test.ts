import { chatProvider } from './chat-backend.ts';
import { scriptedSuite, type ScriptedProvider } from './suite.ts';

/** Every provider whose backend can be scripted. Those that run in this process have `commonSuite` in their own files. */
const providers: readonly ScriptedProvider[] = [chatProvider];

for (const provider of providers) scriptedSuite(provider);
