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

/** Jest's runner stores these in the realm. It expects a new realm for each file, so it adds to what it finds. */
const stateOfRunner = new Set(['EVENT_HANDLERS', 'JEST_STATE_SYMBOL'])

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

  /** Jest records 100 frames for each error in its own realm, which costs time. Programs record this many. */
  async setup() {
    Error.stackTraceLimit = 10
  }

  /** Restores the globals that Jest changes for a test file. They would keep its modules and handlers in use. */
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
