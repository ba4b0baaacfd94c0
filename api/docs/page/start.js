// Starts the API reference in the browser, configured so that it sends requests to this server only.

// A library that the reference uses checks once whether `new Function` is allowed, and works without it. The page's
// Content-Security-Policy would report that check as a violation, so this proxy makes it fail first.
globalThis.Function = new Proxy(Function, {
  construct() {
    throw new EvalError('This page does not evaluate code.')
  },
})

document.addEventListener('DOMContentLoaded', () => {
  globalThis.Scalar.createApiReference('#reference', {
    url: 'openapi.json',
    proxyUrl: '',
    telemetry: false,
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    persistAuth: false,
    documentDownloadType: 'none',
    theme: 'default',
    layout: 'modern',
    orderSchemaPropertiesBy: 'preserve',
    orderRequiredPropertiesFirst: false,
    defaultOpenAllTags: true,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    authentication: { preferredSecurityScheme: 'key' },
  })
})
