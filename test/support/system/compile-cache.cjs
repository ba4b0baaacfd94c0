// Preloaded into every process that the tests start. Keeps the compiled code of our programs' modules in
// .cache/compiled, because parsing and compiling takes a third of a start. Node 22 can do this itself
// (module.enableCompileCache).
/* oxlint-disable no-underscore-dangle -- Node has no public names for these. */
const { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } = require('node:fs')
const Module = require('node:module')
const path = require('node:path')
const { deserialize, serialize } = require('node:v8')
const { Script } = require('node:vm')
const { isMainThread, threadId } = require('node:worker_threads')
const { crc32 } = require('node:zlib')

const root = path.join(__dirname, '../../..')
const program = nameOf(process.argv[1])
if (program.startsWith(`dist${path.sep}`)) keepCompiledCode()

/** Returns the path in this repository. The program may have been started through a link. */
function nameOf(file) {
  try {
    return path.relative(root, realpathSync(file))
  } catch {
    return ''
  }
}

function keepCompiledCode() {
  const folder = path.join(root, '.cache/compiled')
  // V8 refuses code that was compiled by another version or with other flags.
  const compiler = crc32([process.version, ...process.execArgv].join(' ')).toString(36)
  const file = path.join(
    folder,
    [program.replaceAll(path.sep, '-'), isMainThread ? 'main' : 'thread', compiler].join('.'),
  )
  const kept = read(file)
  const loaded = new Map()
  let isComplete = true

  const compile = Module.prototype._compile
  Module.prototype._compile = function (content, filename, format) {
    if (format === 'module' || importsDynamically(content, filename))
      return compile.call(this, content, filename, format)
    const source = crc32(content)
    const found = kept.get(filename)
    const cachedData = found?.source === source ? found.code : undefined
    // A line that begins with #! is valid only at the beginning of a file.
    const text = Module.wrap(content.replace(/^#!/, '//'))
    const script = new Script(text, { filename, cachedData })
    if (script.cachedDataRejected !== false) isComplete = false
    loaded.set(filename, { source, script })
    const run = script.runInThisContext()
    return run.call(this.exports, this.exports, requireOf(this), this, filename, path.dirname(filename))
  }

  function save() {
    if (isComplete) return
    isComplete = true
    // Also keeps the modules that only other commands of the same program have loaded.
    for (const [filename, { source, script }] of loaded) kept.set(filename, { source, code: script.createCachedData() })
    mkdirSync(folder, { recursive: true })
    const part = `${file}.${process.pid}.${threadId}.part`
    writeFileSync(part, serialize(kept))
    renameSync(part, file)
  }
  // A function is compiled when it is first called, so the code is more complete after a while.
  setTimeout(save, 5_000).unref()
  process.once('exit', save)
}

/** A function from kept code cannot call import(). No package that our programs load does so. */
function importsDynamically(content, filename) {
  return !filename.includes('node_modules') && /\bimport\(/.test(content)
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
