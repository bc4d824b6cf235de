import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { Router } from 'wouter';
import { SessionProvider } from './session.tsx';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';
import { cssVariables, theme } from './theme.ts';

/** The server allows styles only with the nonce that it generates for each page. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

export function App(): ReactNode {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <SessionProvider signInPage={(signIn) => <SignIn onSignIn={signIn} />}>
        <Router base="/console">
          <Shell />
        </Router>
      </SessionProvider>
    </MantineProvider>
  );
}
