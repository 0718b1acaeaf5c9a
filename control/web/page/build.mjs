// SPDX-License-Identifier: BSD-3-Clause
// Builds the page: index.html, page.js and page.css for `roost web`, and report.html, all in one file, for `roost report`.
//
//	node build.mjs DIR
import { readFile, writeFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "src");
const out = process.argv[2];
if (!out) {
  console.error("usage: node build.mjs DIR");
  process.exit(2);
}
await mkdir(out, { recursive: true });
await build({
  entryPoints: [{ in: join(source, "main.jsx"), out: "page" }, { in: join(source, "page.css"), out: "page" }],
  outdir: out, bundle: true, minify: true, target: "es2022", format: "iife", legalComments: "none", charset: "utf8",
  jsxFactory: "h", jsxFragment: "Fragment",
});
const [html, script, style] = await Promise.all([join(here, "index.html"), join(out, "page.js"), join(out, "page.css")]
  .map((path) => readFile(path, "utf8")));
await writeFile(join(out, "index.html"), html);
// `roost report` puts its films and figures where the comment is.
await writeFile(join(out, "report.html"), html
  .replace('<link rel="stylesheet" href="page.css">', () => `<style>${style}</style>`)
  .replace('<script defer src="page.js"></script>', () => `<!--ROOST-DATA-->\n<script>${script.replaceAll("</script", "<\\/script")}</script>`));
