// How the dashboard is built: into dist/dashboard, its files named by content and compressed beforehand.
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { compressed } from './compressed.mjs'

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [tailwindcss(), compressed()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // The policy of the page allows no data: fonts and scripts; pictures of ours are files too.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Packages mark what is for the browser; here everything is.
      onLog: (level, log, show) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && show(level, log),
    },
  },
})
