// Turns TLS and authentication errors from the Temporal client and worker libraries into instructions for the operator.

/** Null for other errors, such as a server that cannot be reached. */
export function refusalOf(error: unknown): string | null {
  const text = textOf(error)
  return refusals.find(({ pattern }) => pattern.test(text))?.sentence ?? null
}

/** The status code of a gRPC error. NaN for any other error. */
export function grpcCodeOf(error: unknown): number {
  return error instanceof Error && 'code' in error ? Number(error.code) : Number.NaN
}

/** Includes the messages of all causes, because the libraries wrap errors. */
function textOf(error: unknown): string {
  const texts: string[] = []
  for (let cause = error; cause instanceof Error; cause = cause.cause) texts.push(cause.message)
  return texts.join('\n')
}

// TLS alerts come first. They concern our certificate, but contain the same words as errors about the server's
// certificate.
const refusals: readonly { readonly pattern: RegExp; readonly sentence: string }[] = [
  {
    pattern:
      /received fatal alert: (Certificate|BadCert|UnknownCA|UnsupportedCert|AccessDenied)|alert (bad|unknown|unsupported|certificate|access)/,
    sentence:
      'the server requires a client certificate, or rejected ours: check TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY',
  },
  {
    pattern: /InvalidCertificate\(Expired|certificate has expired|CERT_HAS_EXPIRED/,
    sentence: "the server's certificate has expired: renew it",
  },
  {
    pattern: /NotValidForName|ALTNAME_INVALID/,
    sentence:
      "the server's certificate is for another name: set TEMPORAL_TLS_SERVER_NAME to the name in the certificate",
  },
  {
    pattern: /InvalidCertificate|unable to (verify|get)|self.signed certificate/,
    sentence:
      "the server's certificate is not from a trusted authority: set TEMPORAL_TLS_CA to the certificate of its authority",
  },
  {
    pattern: /InvalidContentType|wrong version number/,
    sentence: 'the server does not use TLS: set TEMPORAL_TLS to off, or TEMPORAL_ADDRESS to a port with TLS',
  },
  // With TLS 1.3 the server checks the client certificate after the handshake. The client then sees an alert, or only
  // that the connection was closed.
  {
    pattern: /Failed to call GetSystemInfo.+transport::Error|Last error: Failed to connect/,
    sentence:
      'the server closed the connection at once: check that TEMPORAL_TLS, TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY match its settings',
  },
  {
    pattern: /UNAUTHENTICATED|PERMISSION_DENIED|does not have valid authentication|does not have permission/,
    sentence:
      'the server denied access: check TEMPORAL_API_KEY or TEMPORAL_TLS_CERT, and that they are valid for TEMPORAL_NAMESPACE',
  },
]
