// What is wrong with a configuration, every mistake of it.

export class ConfigError extends Error {
  constructor(readonly mistakes: readonly string[]) {
    super(
      `The configuration has ${mistakes.length === 1 ? 'a mistake' : 'mistakes'}:\n${mistakes.map((m) => `  ${m}`).join('\n')}`,
    )
    this.name = 'ConfigError'
  }
}
