// Starts the API reference in the browser, configured so that it sends requests to this server only.

// A library inside the reference tests once whether it may evaluate code, and works without it. The page's policy would report
// that test as a violation, so this makes the test fail before the browser sees it.
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
