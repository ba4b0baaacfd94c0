// A button that saves a file of the server's, or says why there is none.
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { type CallOptions, callForFile, type ServedFile } from '../api/call'
import { Button } from './forms/button'
import { adviceOf } from './notice'
import { useSay } from './toast'

interface DownloadButtonProps {
  readonly path: string
  readonly query?: CallOptions['query']
  readonly type: 'CSV' | 'PDF' | 'Charges'
  /** What is saved, where the page has several. */
  readonly label?: string
}

export function DownloadButton({ path, query = {}, type, label }: DownloadButtonProps) {
  const say = useSay()
  const download = useMutation({
    mutationFn: () => callForFile(path, query),
    onSuccess: save,
    onError: (error) => say(`Nothing was saved. ${adviceOf(error)}`, 'bad'),
  })
  return (
    <Button busy={download.isPending} onClick={() => download.mutate()} aria-label={label}>
      {!download.isPending && <Download aria-hidden />}
      {type}
    </Button>
  )
}

function save({ name, content }: ServedFile): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken hold of the content by the next turn.
  setTimeout(() => URL.revokeObjectURL(address))
}
