// Colours for a terminal that has them and for nobody else; NO_COLOR is honoured by Node's own check.

export type Paint = Readonly<Record<'bold' | 'dim' | 'green' | 'red' | 'cyan', (text: string) => string>>

export function paint(out: NodeJS.WriteStream): Paint {
  const coloured = out.isTTY && out.hasColors()
  const by = (code: number) => (text: string) => (coloured ? `\x1b[${code}m${text}\x1b[0m` : text)
  return { bold: by(1), dim: by(2), green: by(32), red: by(31), cyan: by(36) }
}
