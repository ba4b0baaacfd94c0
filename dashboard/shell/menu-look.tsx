// What the entries of a menu have in common.
import * as DropdownMenu from '@radix-ui/react-dropdown-menu'
import { Check } from 'lucide-react'

export const item =
  'flex h-9 items-center gap-2.5 rounded-md px-2.5 outline-none select-none data-highlighted:bg-sunken [&_svg]:size-4 [&_svg]:text-soft'

export const Tick = () => (
  <DropdownMenu.ItemIndicator className="ml-auto">
    <Check aria-hidden />
  </DropdownMenu.ItemIndicator>
)

export const Line = () => <DropdownMenu.Separator className="mx-1 my-1 h-px bg-line" />
