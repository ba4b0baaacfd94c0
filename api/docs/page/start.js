// Starts the API reference in the browser, configured so that it sends requests to this server only.

// A library inside the reference tries once whether it may make code from text, and does without when it may not. The page's
// policy forbids it and would report the try as a violation; so the try ends here.
globalThis.Function = new Proxy(Function, {
  construct() {
    throw new EvalError('No code is made from text on this page.')
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
