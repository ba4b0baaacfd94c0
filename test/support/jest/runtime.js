// What a test file loads: our modules anew, and packages once for all files of the same process, which is most of the work.
const { createRequire } = require('node:module')
const { default: JestRuntime } = require('jest-runtime')

/** Those with one state for a process that a file sets to its liking, or that a file replaces; Jest's own; ours; and Node's. */
const anew = /^@temporalio\/(worker|workflow)|^@jest\/globals$|^[./]|^node:/

class Runtime extends JestRuntime {
  requireModuleOrMock(from, name) {
    return anew.test(name) ? super.requireModuleOrMock(from, name) : createRequire(from)(name)
  }
}

module.exports = Runtime
