// Preloaded into the processes that tests start, unless a test sets NODE_OPTIONS. Gives a worker one workflow thread, and
// caches the compiled code of our programs' modules in .cache/compiled, because parsing and compiling takes a third of a
// start. Node 20 lacks module.enableCompileCache, so delete the cache when Node 22 is the minimum.
/* oxlint-disable no-underscore-dangle -- Node has no public names for these. */
const { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const Module = require('node:module')
const path = require('node:path')
const { cachedDataVersionTag, deserialize, serialize, setFlagsFromString } = require('node:v8')
const { Script } = require('node:vm')
const { isMainThread } = require('node:worker_threads')
const { crc32 } = require('node:zlib')

const root = path.join(__dirname, '../../..')
const program = nameOf(process.argv[1])
// Most of these processes live only for seconds, so optimizing code as early as V8 does by default takes more time than
// it saves.
if (isMainThread) setFlagsFromString('--interrupt-budget=1000000')
if (isMainThread && program.startsWith(`dist${path.sep}`)) cacheCompiledCode()
const isWorker = process.argv[1]?.endsWith(path.join('dist/worker/main.js'))
// oxlint-disable-next-line import/no-unassigned-import -- It replaces a function of the SDK.
if (isMainThread && isWorker) require('../temporal/shared-thread.cjs')

/** Returns the path in this repository. The program may have been started through a link. */
function nameOf(file) {
  try {
    return path.relative(root, realpathSync(file))
  } catch {
    return ''
  }
}

function cacheCompiledCode() {
  const folder = path.join(root, '.cache/compiled')
  // V8 refuses code that was compiled by another version or with other flags, so each has its own file.
  const compiler = crc32([process.version, process.arch, cachedDataVersionTag(), ...process.execArgv].join(' '))
  const file = path.join(folder, `${program.replaceAll(path.sep, '-')}.${compiler.toString(36)}`)
  const cached = read(file)
  const loaded = new Map()
  let isComplete = true

  const compile = Module.prototype._compile
  Module.prototype._compile = function (content, filename, format) {
    if (format === 'module' || importsDynamically(content, filename)) {
      return compile.call(this, content, filename, format)
    }
    const source = crc32(content)
    const found = cached.get(filename)
    // V8 does not detect damaged code.
    const isUsable = found?.source === source && found.sum === crc32(found.code)
    // A line that begins with #! is valid only at the beginning of a file.
    const text = Module.wrap(content.replace(/^#!/, '//'))
    const script = new Script(text, { filename, cachedData: isUsable ? found.code : undefined })
    if (script.cachedDataRejected !== false) isComplete = false
    loaded.set(filename, { source, script })
    const run = script.runInThisContext()
    return run.call(this.exports, this.exports, requireOf(this), this, filename, path.dirname(filename))
  }

  function save() {
    if (isComplete) return
    isComplete = true
    // Also keeps the modules that only other commands of the same program have loaded.
    for (const [filename, { source, script }] of loaded) {
      const code = script.createCachedData()
      cached.set(filename, { source, sum: crc32(code), code })
    }
    const part = `${file}.${process.pid}.part`
    try {
      mkdirSync(folder, { recursive: true })
      writeFileSync(part, serialize(cached))
      renameSync(part, file)
    } catch {
      // A cache that cannot be written must not stop the program.
      rmSync(part, { force: true })
    }
  }
  // A function is compiled when it is first called, so the code is more complete after a while.
  setTimeout(save, 5_000).unref()
  process.once('exit', save)
}

/** Cached code cannot call import(). TypeORM's file contains one in a text, which it compiles itself. */
function importsDynamically(content, filename) {
  return /\bimport\(/.test(content) && !filename.endsWith(path.join('typeorm', 'index.js'))
}

function read(file) {
  try {
    return deserialize(readFileSync(file))
  } catch {
    return new Map()
  }
}

/** Node does not export its own function for this. */
function requireOf(module) {
  const require = (id) => module.require(id)
  require.resolve = (request, options) => Module._resolveFilename(request, module, false, options)
  require.resolve.paths = (request) => Module._resolveLookupPaths(request, module)
  return Object.assign(require, { main: process.mainModule, extensions: Module._extensions, cache: Module._cache })
}
