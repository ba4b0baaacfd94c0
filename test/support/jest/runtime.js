// Loads packages and our own modules once per process instead of once per test file, because loading takes most of a
// small file's time.
/* oxlint-disable no-underscore-dangle -- Node and Jest have no public names for these. */
const Module = require('node:module')
const path = require('node:path')
const { setFlagsFromString } = require('node:v8')
const { default: JestRuntime } = require('jest-runtime')

// Most code of a test file runs only a few times, so optimizing it as early as V8 does by default takes more time than it
// saves.
setFlagsFromString('--interrupt-budget=1000000')

const project = path.join(__dirname, '../../..')

/** These test files replace packages that the workflows use, so each loads our modules and the SDK again. */
const replacesPackages = /\/test\/(explorer\/|workflows\/options\.test)/

/** Source maps of the modules that Node has loaded, for the stack traces of later test files. */
const sourceMaps = new Map()

let transform = null

class Runtime extends JestRuntime {
  constructor(...args) {
    super(...args)
    const transformer = args[3]
    this.loadsAlone = replacesPackages.test(this._testPath)
    transform = (file) => {
      const { code, sourceMapPath } = transformer.transform(file, this._getFullTransformationOptions())
      sourceMaps.set(file, sourceMapPath)
      super.getSourceMaps().set(file, sourceMapPath)
      return code
    }
  }

  requireModuleOrMock(from, name) {
    if (name === '@jest/globals' || name.startsWith('node:')) return super.requireModuleOrMock(from, name)
    if (this.loadsAlone && /^[./]|^@temporalio\/(worker|workflow)/.test(name)) {
      return super.requireModuleOrMock(from, name)
    }
    return Module.createRequire(from)(name)
  }

  /** Loads Jest's packages once per process. The runner itself has state, so each file loads it again, by its path. */
  requireInternalModule(from, name) {
    const isPackage = name !== undefined && !/^[./]|^node:/.test(name)
    return isPackage ? Module.createRequire(from)(name) : super.requireInternalModule(from, name)
  }

  /** Jest calls this once per test file and keeps the returned map. */
  getSourceMaps() {
    const maps = super.getSourceMaps()
    for (const [file, map] of sourceMaps) maps.set(file, map)
    return maps
  }
}

Module._extensions['.ts'] = (module, file) => module._compile(transform(file), file)

// Modules are loaded once for many test files, so their hooks must register with the test file that is running.
const load = Module._load
const currentGlobals = new Proxy({}, { get: (_, name) => globalThis[name] })
Module._load = function (name, parent, isMain) {
  if (name === '@jest/globals' && parent?.filename.startsWith(`${project}/test/`)) return currentGlobals
  return load.call(this, name, parent, isMain)
}

module.exports = Runtime
