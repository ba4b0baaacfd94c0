// Parses a received email into plain values. Its content is untrusted.

import PostalMime from 'postal-mime'

/** A stored email: its bytes and its SMTP envelope. */
interface Received {
  readonly id: string
  readonly receivedAt: string
  /** The actual sender and recipients, regardless of the headers. */
  readonly envelope: { readonly from: string; readonly to: readonly string[] }
  readonly raw: Buffer
}

export interface Message extends Received {
  readonly subject: string
  readonly from: string
  readonly to: readonly string[]
  readonly messageId: string | null
  readonly text: string | null
  readonly html: string | null
  readonly attachments: readonly Attachment[]
}

export interface Attachment {
  readonly name: string
  readonly type: string
  readonly content: Buffer
}

export async function readMessage(received: Received): Promise<Message> {
  const mail = await PostalMime.parse(received.raw, { attachmentEncoding: 'arraybuffer' }).catch(() => unreadable)
  return {
    ...received,
    subject: mail.subject ?? '',
    from: mail.from ? formatAddress(mail.from) : received.envelope.from,
    to: (mail.to ?? []).map(formatAddress),
    messageId: mail.messageId ?? null,
    text: mail.text ?? null,
    html: mail.html ?? null,
    attachments: mail.attachments.map(({ filename, mimeType, content }, index) => ({
      name: filename ?? `attachment-${index + 1}`,
      type: mimeType,
      content: bytes(content),
    })),
  }
}

/** Replaces an email that cannot be parsed. The raw email can still be downloaded. */
const unreadable: Partial<PostalMime.Email> & Pick<PostalMime.Email, 'attachments'> = {
  subject: '(unreadable message)',
  attachments: [],
}

function formatAddress(address: PostalMime.Address): string {
  if (address.address === undefined) return `${address.name}: ${address.group.map(formatAddress).join(', ')}`
  return address.name ? `${address.name} <${address.address}>` : address.address
}

function bytes(content: ArrayBuffer | Uint8Array | string): Buffer {
  if (typeof content === 'string') return Buffer.from(content)
  return Buffer.from(ArrayBuffer.isView(content) ? content : new Uint8Array(content))
}
