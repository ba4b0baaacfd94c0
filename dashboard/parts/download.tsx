// A button that downloads a file from the server, or shows the error.
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { type CallOptions, callForFile, type ServedFile } from '../api/call'
import { Button } from './forms/button'
import { adviceOf } from './notice'
import { useToast } from './toast'

interface DownloadButtonProps {
  readonly path: string
  readonly query?: CallOptions['query']
  readonly type: 'CSV' | 'Export CSV' | 'PDF' | 'Charges'
  /** Distinguishes several downloads on a page. */
  readonly label?: string
}

export function DownloadButton({ path, query = {}, type, label }: DownloadButtonProps) {
  const showToast = useToast()
  const download = useMutation({
    mutationFn: () => callForFile(path, query),
    onSuccess: save,
    onError: (error) => showToast(`Download failed. ${adviceOf(error)}`, 'bad'),
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
  // By the next task, the browser has opened the content and no longer needs the URL.
  setTimeout(() => URL.revokeObjectURL(address))
}
