// The OTLP JSON that our exporter may send. Any other field, type or format is an error.
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'

const strict = { additionalProperties: false }
const hex = (digits: number) => Type.String({ pattern: `^(?!0+$)[0-9a-f]{${digits}}$` })
const uint64 = Type.String({ pattern: String.raw`^\d{1,20}$` })

const attributes = Type.Array(
  Type.Object(
    {
      key: Type.String({ minLength: 1 }),
      value: Type.Union([
        Type.Object({ stringValue: Type.String() }, strict),
        Type.Object({ intValue: Type.String({ pattern: String.raw`^-?\d+$` }) }, strict),
        Type.Object({ boolValue: Type.Boolean() }, strict),
      ]),
    },
    strict,
  ),
)

const span = Type.Object(
  {
    traceId: hex(32),
    spanId: hex(16),
    parentSpanId: Type.Optional(hex(16)),
    name: Type.String({ minLength: 1 }),
    kind: Type.Integer({ minimum: 1, maximum: 5 }),
    startTimeUnixNano: uint64,
    endTimeUnixNano: uint64,
    attributes,
    links: Type.Optional(Type.Array(Type.Object({ traceId: hex(32), spanId: hex(16) }, strict))),
    status: Type.Object({ code: Type.Optional(Type.Literal(2)) }, strict),
  },
  strict,
)

const scopeSpans = Type.Object(
  { scope: Type.Object({ name: Type.String() }, strict), spans: Type.Array(span, { minItems: 1 }) },
  strict,
)

const request = Compile(
  Type.Object(
    {
      resourceSpans: Type.Array(
        Type.Object({ resource: Type.Object({ attributes }, strict), scopeSpans: Type.Array(scopeSpans) }, strict),
      ),
    },
    strict,
  ),
)

export function faultsOf(body: unknown): string[] {
  return request.Errors(body).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
