// Why a Temporal server and we do not trust each other, in words that say what to do; of two libraries that each say it in their own.

/** Null when it is not about trust: then the server is away, or something else went wrong. */
export function refusalOf(error: unknown): string | null {
  const said = textOf(error)
  return refusals.find(({ pattern }) => pattern.test(said))?.sentence ?? null
}

/** What a library wraps into its own error counts too. */
function textOf(error: unknown): string {
  const texts: string[] = []
  for (let cause = error; cause instanceof Error; cause = cause.cause) texts.push(cause.message)
  return texts.join('\n')
}

// Alerts come first: those are the server's words about our certificate, and use the same nouns as ours about its.
const refusals: readonly { readonly pattern: RegExp; readonly sentence: string }[] = [
  {
    pattern:
      /received fatal alert: (Certificate|BadCert|UnknownCA|UnsupportedCert|AccessDenied)|alert (bad|unknown|unsupported|certificate|access)/,
    sentence:
      'the server wants a certificate of ours, or does not accept the one it got: see TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY',
  },
  {
    pattern: /InvalidCertificate\(Expired|certificate has expired|CERT_HAS_EXPIRED/,
    sentence: 'the certificate of the server has ended: it needs a new one',
  },
  {
    pattern: /NotValidForName|ALTNAME_INVALID/,
    sentence:
      'the certificate of the server is for another name: set TEMPORAL_TLS_SERVER_NAME to the name that it is for',
  },
  {
    pattern: /InvalidCertificate|unable to (verify|get)|self.signed certificate/,
    sentence:
      'the certificate of the server comes from nobody we trust: set TEMPORAL_TLS_CA to the certificate of who issued it',
  },
  {
    pattern: /InvalidContentType|wrong version number/,
    sentence: 'the server speaks no TLS: set TEMPORAL_TLS to off, or TEMPORAL_ADDRESS to a port that does',
  },
  // TLS 1.3 lets a client begin before its certificate was looked at: what it reads then is the alert, or just the end.
  {
    pattern: /Failed to call GetSystemInfo.+transport::Error|Last error: Failed to connect/,
    sentence:
      'the server ended the connection at once: see that TEMPORAL_TLS, TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY are what it expects',
  },
  {
    pattern: /UNAUTHENTICATED|PERMISSION_DENIED|does not have valid authentication|does not have permission/,
    sentence:
      'the server does not let us in: see TEMPORAL_API_KEY or TEMPORAL_TLS_CERT, and that they are for TEMPORAL_NAMESPACE',
  },
]
