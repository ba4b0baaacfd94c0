// Row IDs are version 7 UUIDs. They sort by creation time, so indexes grow at one end.
import { randomBytes } from 'node:crypto'

/** Two IDs with the same `random` bytes differ only in their time, so `randomPartOf` returns the same text for both. */
export function newId(at: Date, random: Buffer = randomBytes(10)): string {
  const bytes = Buffer.concat([Buffer.alloc(6), random], 16)
  bytes.writeUIntBE(at.getTime(), 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export function randomPartOf(id: string): string {
  return id.slice(15)
}
