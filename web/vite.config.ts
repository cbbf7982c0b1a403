// How the web client is built: hashed files in dist/ that the server embeds. Nothing is inlined as a data: address,
// because the page's content security policy allows files of the same origin only.
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    port: 5273,
    strictPort: true,
    proxy: { "/api": { target: "http://127.0.0.1:5274", ws: true } },
  },
});
