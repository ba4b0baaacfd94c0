// One mail that came in, read from its bytes into plain values; it is somebody else's text, so nothing in it is trusted.

import PostalMime from 'postal-mime'

/** What was kept: the mail as it came, and what the SMTP conversation said about it. */
export interface Received {
  readonly id: string
  readonly receivedAt: string
  /** Who really gets it, whatever its headers say. */
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
    from: mail.from ? words(mail.from) : received.envelope.from,
    to: (mail.to ?? []).map(words),
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

/** It can still be had as it came. */
const unreadable: Partial<PostalMime.Email> & Pick<PostalMime.Email, 'attachments'> = {
  subject: '(a mail that can not be read)',
  attachments: [],
}

function words(address: PostalMime.Address): string {
  if (address.address === undefined) return `${address.name}: ${address.group.map(words).join(', ')}`
  return address.name ? `${address.name} <${address.address}>` : address.address
}

function bytes(content: ArrayBuffer | Uint8Array | string): Buffer {
  if (typeof content === 'string') return Buffer.from(content)
  return Buffer.from(ArrayBuffer.isView(content) ? content : new Uint8Array(content))
}
