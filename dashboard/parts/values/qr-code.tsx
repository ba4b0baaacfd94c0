// Draws text as a QR code, in one SVG path.
// oxlint-disable-next-line import/no-named-as-default -- its types declare only the default export
import qrcode from 'qrcode-generator'

export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const code = qrcode(0, 'M')
  code.addData(text)
  code.make()
  const size = code.getModuleCount()
  const dark = Array.from(
    { length: size * size },
    (_, index) => [Math.floor(index / size), index % size] as const,
  ).filter(([row, column]) => code.isDark(row, column))
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-full"
    >
      <path fill="#111" d={dark.map(([row, column]) => `M${column} ${row}h1v1h-1z`).join('')} />
    </svg>
  )
}
