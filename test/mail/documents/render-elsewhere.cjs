// Renders the tests' invoice in a separate process and prints the hash of its bytes. Sources are compiled on demand.
const { createHash } = require('node:crypto')
const { readFileSync } = require('node:fs')
const { transformSync } = require('@swc/core')

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'commonjs' },
    swcrc: false,
  })
  module['_compile'](code, filename)
}

const { invoicePdf } = require('../../../mail/documents/invoice-pdf.ts')
const { anInvoice } = require('../../support/mail/an-invoice.ts')

void invoicePdf(anInvoice()).then((bytes) => console.log(createHash('sha256').update(bytes).digest('hex')))
