// The environment of a test file. It uses Node's own realm, as our programs do, so that each package is loaded only
// once for many test files.
/* oxlint-disable no-underscore-dangle -- Node has no public name for `_enable`. */
const { AsyncLocalStorage } = require('node:async_hooks')
const vm = require('node:vm')
const { ModuleMocker } = require('jest-mock')

/** Replaces the separate context that Jest requests. */
const thisRealm = {}

const compileFunction = vm.compileFunction
vm.compileFunction = (code, parameters, options = {}) => {
  if (options.parsingContext !== thisRealm) return compileFunction(code, parameters, options)
  // A function that can use import() is never garbage-collected: https://github.com/nodejs/node/issues/44211.
  const { parsingContext: _thisRealm, importModuleDynamically: _never, ...others } = options
  return compileFunction(code, parameters, others)
}

// Each Temporal connection enables an AsyncLocalStorage and never disables it, which would slow down every promise in
// later test files.
const enabled = new Set()
const enable = AsyncLocalStorage.prototype._enable
AsyncLocalStorage.prototype._enable = function () {
  enabled.add(this)
  enable.call(this)
}

/**
 * The descriptions of the symbols under which Jest's runner stores state in the realm. It expects a new realm for each
 * file, so a later file would use this state too: each earlier file would handle its events again, and an unhandled
 * rejection would be reported to the first file and lost.
 */
const stateOfRunner = new Set([
  'EVENT_HANDLERS',
  'JEST_STATE_SYMBOL',
  'LOG_ERRORS_BEFORE_RETRY',
  'RETRY_IMMEDIATELY',
  'RETRY_TIMES',
  'TEST_TIMEOUT_SYMBOL',
  'WAIT_BEFORE_RETRY',
])

const { console } = globalThis
const exit = process.exit.bind(process)

class ThisRealm {
  global = globalThis
  moduleMocker = new ModuleMocker(globalThis)
  fakeTimers = null
  fakeTimersModern = null

  getVmContext() {
    return thisRealm
  }

  exportConditions() {
    return ['node', 'node-addons']
  }

  /** Restores Node's default. Jest records 100 frames of each error in its own realm, which takes time. */
  async setup() {
    Error.stackTraceLimit = 10
  }

  /** Undoes what Jest changes in the realm for a test file, which would also keep the file's modules in memory. */
  async teardown() {
    globalThis.console = console
    process.exit = exit
    for (const storage of enabled) storage.disable()
    enabled.clear()
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (stateOfRunner.has(symbol.description)) delete globalThis[symbol]
    }
  }
}

module.exports = ThisRealm
